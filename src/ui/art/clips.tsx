import { Canvas } from './canvas.tsx';

const clips = [
  [70, 66, -18, '#1f6a6c'],
  [128, 62, 24, '#d9694f'],
  [96, 104, 74, '#e2b04a'],
  [146, 108, -40, '#3f5f93'],
  [52, 112, 36, '#8a948f'],
] as const;

export function Clips() {
  return (
    <Canvas shade={0}>
      {clips.map(([x, y, turn, colour]) => (
        <g key={x} transform={`translate(${x} ${y}) rotate(${turn})`} fill="none" strokeLinecap="round">
          <path
            d="M9-16v32a9 9 0 0 1-18 0v-42a7 7 0 0 1 14 0v38a4 4 0 0 1-8 0v-28"
            stroke="#000"
            strokeOpacity="0.12"
            strokeWidth="4.5"
            transform="translate(2 3)"
          />
          <path
            d="M9-16v32a9 9 0 0 1-18 0v-42a7 7 0 0 1 14 0v38a4 4 0 0 1-8 0v-28"
            stroke={colour}
            strokeWidth="4.5"
          />
        </g>
      ))}
    </Canvas>
  );
}
