import { Canvas } from './canvas.tsx';

export function Lamp() {
  return (
    <Canvas shade={60}>
      <path d="M90 72 136 46l38 90H80Z" fill="#f4cf6e" opacity="0.42" />
      <path
        d="M74 132 54 82l46-42"
        fill="none"
        stroke="#3f5f93"
        strokeWidth="6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="54" cy="82" r="6.5" fill="#e2b04a" />
      <path d="M50 140c0-7 8-11 24-11s24 4 24 11Z" fill="#3f5f93" />
      <g transform="translate(102 40) rotate(-30)">
        <path d="M-11-6a11 11 0 0 1 22 0l17 28h-56Z" fill="#d9694f" />
        <path d="M4-15a11 11 0 0 1 7 9l17 28H12Z" fill="#b9523b" />
        <ellipse cx="0" cy="22" rx="28" ry="5" fill="#f9e3a0" />
        <circle cx="0" cy="-6" r="4.5" fill="#3f5f93" />
      </g>
    </Canvas>
  );
}
