import { Canvas } from './canvas.tsx';

export function Dripper() {
  return (
    <Canvas shade={48}>
      <path d="M74 92h52l9 40a7 7 0 0 1-7 8H72a7 7 0 0 1-7-8Z" fill="#cfe0de" opacity="0.75" />
      <path d="M69 114h62l4 18a7 7 0 0 1-7 8H72a7 7 0 0 1-7-8Z" fill="#5a3420" />
      <path d="M69 114h62l1.2 5H67.8Z" fill="#7a4828" />
      <path d="M129 98c18-2 22 26 4 27" fill="none" stroke="#9db4b1" strokeWidth="5" strokeLinecap="round" />
      <path d="M100 90v14" stroke="#7a4828" strokeWidth="3" strokeLinecap="round" />
      <rect x="62" y="82" width="76" height="9" rx="4.5" fill="#e9dfd2" />
      <path d="M58 36h84l-22 46H80Z" fill="#fffaf2" />
      <path d="M118 36h24l-22 46h-12Z" fill="#e9dfd2" />
      <path d="M86 44l8 32M100 44v32" stroke="#e9dfd2" strokeWidth="2.5" strokeLinecap="round" />
      <path d="M139 46c20-2 22 26-6 25" fill="none" stroke="#fffaf2" strokeWidth="6" strokeLinecap="round" />
      <ellipse cx="100" cy="36" rx="42" ry="7" fill="#d9c9b4" />
      <ellipse cx="100" cy="37" rx="35" ry="4.6" fill="#6b3d22" />
    </Canvas>
  );
}
