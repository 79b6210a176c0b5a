import { Canvas } from './canvas.tsx';

const pencils = [
  [62, 44, '#d9694f', '#b9523b'],
  [80, 30, '#e2b04a', '#c3922f'],
  [98, 20, '#1f6a6c', '#174f51'],
  [116, 34, '#8fae7c', '#72935f'],
  [134, 26, '#23395b', '#182843'],
] as const;

export function Pencils() {
  return (
    <Canvas shade={58}>
      {pencils.map(([x, top, light, dark]) => (
        <g key={x}>
          <path d={`M${x - 8} ${top + 20} ${x} ${top}l8 20Z`} fill="#efd9b4" />
          <path d={`M${x - 3} ${top + 7.5} ${x} ${top}l3 7.5Z`} fill="#2b2b2e" />
          <path d={`M${x - 8} ${top + 20}h16V110h-16Z`} fill={light} />
          <path d={`M${x + 3} ${top + 20}h5V110h-5Z`} fill={dark} />
        </g>
      ))}
      <rect x="46" y="82" width="108" height="58" rx="6" fill="#cfd6d4" />
      <rect x="46" y="82" width="108" height="8" rx="4" fill="#aab4b2" />
      <rect x="70" y="102" width="60" height="22" rx="3" fill="#fdfbf5" />
      <path d="M78 113h30" stroke="#1f6a6c" strokeWidth="3" strokeLinecap="round" />
      <circle cx="120" cy="113" r="3" fill="#d9694f" />
    </Canvas>
  );
}
