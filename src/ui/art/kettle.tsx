import { Canvas } from './canvas.tsx';

export function Kettle() {
  return (
    <Canvas shade={56}>
      <path
        d="M72 122C50 118 46 98 44 82S40 60 28 58"
        fill="none"
        stroke="#3d4a48"
        strokeWidth="8"
        strokeLinecap="round"
      />
      <path
        d="M134 62c34-14 42 16 36 60"
        fill="none"
        stroke="#7a4828"
        strokeWidth="9"
        strokeLinecap="round"
      />
      <path d="M78 58h54l14 74a7 7 0 0 1-7 8H71a7 7 0 0 1-7-8Z" fill="#4b5a58" />
      <path d="M116 58h16l14 74a7 7 0 0 1-7 8h-18Z" fill="#3d4a48" />
      <path d="M84 68h6l-8 60h-7Z" fill="#fff" opacity="0.16" />
      <path d="M76 58c0-12 58-12 58 0Z" fill="#6b7b78" />
      <rect x="74" y="55" width="62" height="7" rx="3.5" fill="#33403e" />
      <circle cx="105" cy="42" r="6.5" fill="#7a4828" />
      <path d="M22 70c-3 6-3 9 0 12" fill="none" stroke="#7fb3c4" strokeWidth="3.5" strokeLinecap="round" />
    </Canvas>
  );
}
