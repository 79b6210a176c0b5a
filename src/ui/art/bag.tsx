import { Canvas } from './canvas.tsx';

export function Bag() {
  return (
    <Canvas shade={52}>
      <path d="M62 42h76l6 92a6 6 0 0 1-6 6H62a6 6 0 0 1-6-6Z" fill="#a6522a" />
      <path d="M120 42h18l6 92a6 6 0 0 1-6 6h-20Z" fill="#8a4120" />
      <path d="M60 24h80v20H60Z" fill="#8a4120" />
      <path d="M60 24h80v7H60Z" fill="#c8754a" />
      <path d="M70 38h60" stroke="#5d2a13" strokeWidth="2.5" strokeLinecap="round" strokeDasharray="1 5" />
      <rect x="74" y="64" width="52" height="54" rx="4" fill="#fbf3e6" />
      <g transform="translate(100 84) rotate(-24)">
        <ellipse rx="13" ry="9" fill="#5a3420" />
        <path
          d="M-12 1c6-5 9 3 13 0s7-2 11-1"
          fill="none"
          stroke="#fbf3e6"
          strokeWidth="2"
          strokeLinecap="round"
        />
      </g>
      <path d="M84 104h32M90 110h20" stroke="#a6522a" strokeWidth="2.5" strokeLinecap="round" />
      <circle cx="100" cy="52" r="3" fill="#5d2a13" />
    </Canvas>
  );
}
