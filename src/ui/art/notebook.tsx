import { Canvas } from './canvas.tsx';

export function Notebook() {
  return (
    <Canvas shade={54}>
      <rect x="62" y="26" width="88" height="114" rx="7" fill="#fdfbf5" />
      <rect x="56" y="22" width="88" height="116" rx="7" fill="#1f6a6c" />
      <path d="M63 22h9v116h-9a7 7 0 0 1-7-7V29a7 7 0 0 1 7-7Z" fill="#174f51" />
      <rect x="126" y="22" width="7" height="116" fill="#e2b04a" />
      <rect x="84" y="46" width="32" height="22" rx="3" fill="#fdfbf5" />
      <path d="M90 54h20M90 60h13" stroke="#1f6a6c" strokeWidth="2.5" strokeLinecap="round" />
      <path d="M98 138v13l5-4 5 4v-13Z" fill="#d9694f" />
    </Canvas>
  );
}
