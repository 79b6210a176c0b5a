import { Canvas } from './canvas.tsx';

export function Pen() {
  return (
    <Canvas shade={0}>
      <path
        d="M28 124c16-22 26 8 40-6 9-9-4-16-8-4-5 16 18 20 34 12"
        fill="none"
        stroke="#3f5f93"
        strokeWidth="3.5"
        strokeLinecap="round"
      />
      <g transform="translate(96 124) rotate(-42)">
        <rect x="-2" y="3" width="116" height="15" rx="4" fill="#000" opacity="0.1" />
        <path d="M0 0 18-8v16Z" fill="#8a8478" />
        <path d="M0 0 7-3v6Z" fill="#3f5f93" />
        <rect x="17" y="-8.5" width="50" height="17" rx="2" fill="#c9a24b" />
        <rect x="17" y="-8.5" width="50" height="5.5" rx="2" fill="#e8cd85" />
        <rect x="66" y="-10" width="5" height="20" rx="1.5" fill="#8f6f28" />
        <path d="M70-9.5h42a9.5 9.5 0 0 1 0 19H70Z" fill="#b48c38" />
        <path d="M70-9.5h42a9.5 9.5 0 0 1 8 4.4c-2 1-5 1.6-8 1.6H70Z" fill="#dcbd6e" />
        <rect x="76" y="-14" width="40" height="5.5" rx="2.7" fill="#8f6f28" />
      </g>
    </Canvas>
  );
}
