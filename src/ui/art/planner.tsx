import { Canvas } from './canvas.tsx';

const days = [0, 1, 2, 3, 4, 5] as const;

export function Planner() {
  return (
    <Canvas shade={76}>
      <rect x="24" y="42" width="152" height="98" rx="6" fill="#23395b" />
      <path d="M30 38h66a4 4 0 0 1 4 4v90H30Z" fill="#fdfbf5" />
      <path d="M170 38h-66a4 4 0 0 0-4 4v90h70Z" fill="#f3eee2" />
      <path d="M96 38a4 4 0 0 1 4 4v90h-8V38Z" fill="#e6dfcf" opacity="0.7" />
      {days.map((day) => {
        const x = day < 3 ? 38 + day * 19 : 108 + (day - 3) * 20;
        return (
          <g key={day}>
            <path d={`M${x} 50h12`} stroke="#1f6a6c" strokeWidth="3.5" strokeLinecap="round" />
            <path
              d={`M${x} 64h12M${x} 76h12M${x} 88h12M${x} 100h12M${x} 112h12`}
              stroke="#d8d0be"
              strokeWidth="2"
              strokeLinecap="round"
            />
          </g>
        );
      })}
      <rect x="56" y="72" width="14" height="20" rx="3" fill="#e2b04a" />
      <rect x="127" y="60" width="14" height="28" rx="3" fill="#d9694f" />
      <rect x="147" y="96" width="14" height="16" rx="3" fill="#8fae7c" />
      <path d="M100 132v18l-6-5-6 5v-18Z" fill="#d9694f" />
    </Canvas>
  );
}
