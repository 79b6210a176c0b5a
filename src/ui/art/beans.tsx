import { Canvas } from './canvas.tsx';

const beans = [
  [62, 118, -24, '#6b3d22'],
  [138, 119, 28, '#5a3420'],
  [101, 122, 4, '#7a4828'],
  [80, 92, 22, '#5a3420'],
  [121, 92, -26, '#6b3d22'],
  [101, 64, 38, '#7a4828'],
] as const;

export function Beans() {
  return (
    <Canvas shade={66}>
      {beans.map(([x, y, turn, colour]) => (
        <g key={`${x}-${y}`} transform={`translate(${x} ${y}) rotate(${turn})`}>
          <ellipse rx="24" ry="16" fill={colour} />
          <path d="M-22-5C-12-15 10-15 18-9 6-13-12-11-22-5Z" fill="#fff" opacity="0.14" />
          <path
            d="M-23 1C-12-7-6 7 4 2S17-3 23 0"
            fill="none"
            stroke="#2e180c"
            strokeWidth="3"
            strokeLinecap="round"
          />
        </g>
      ))}
      <g fill="none" stroke="#8fae7c" strokeWidth="3" strokeLinecap="round">
        <path d="M101 46c0-9 3-15 9-21" />
        <path d="M110 25c11-4 20 0 24 8-10 5-20 2-24-8Z" fill="#8fae7c" stroke="none" />
        <path d="M104 34c-9-6-18-5-24 1 7 7 17 7 24-1Z" fill="#7d9d6a" stroke="none" />
      </g>
    </Canvas>
  );
}
