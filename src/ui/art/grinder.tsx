import { Canvas } from './canvas.tsx';

export function Grinder() {
  return (
    <Canvas shade={40}>
      <path
        d="M100 36V24h44"
        fill="none"
        stroke="#8f8b84"
        strokeWidth="6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <rect x="136" y="10" width="15" height="26" rx="7.5" fill="#8a4120" />
      <path d="M76 44c0-10 48-10 48 0v6H76Z" fill="#8f8b84" />
      <rect x="74" y="48" width="52" height="50" rx="5" fill="#b9b4ac" />
      <rect x="108" y="48" width="18" height="50" rx="5" fill="#9d988f" />
      <rect x="82" y="52" width="6" height="42" rx="3" fill="#fff" opacity="0.35" />
      <rect x="72" y="74" width="56" height="20" rx="4" fill="#6b3d22" />
      <path
        d="M80 78v12M88 78v12M96 78v12M104 78v12M112 78v12M120 78v12"
        stroke="#54301a"
        strokeWidth="2.5"
      />
      <path d="M77 98h46l-3 36a6 6 0 0 1-6 6H86a6 6 0 0 1-6-6Z" fill="#a6522a" />
      <path d="M108 98h15l-3 36a6 6 0 0 1-6 6h-9Z" fill="#8a4120" />
      <circle cx="96" cy="120" r="7" fill="#fbf3e6" />
    </Canvas>
  );
}
