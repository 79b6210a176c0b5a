import { Canvas } from './canvas.tsx';

export function Mug() {
  return (
    <Canvas shade={50}>
      <g fill="none" stroke="#c9a88a" strokeWidth="4.5" strokeLinecap="round">
        <path d="M80 46c-7-9 7-14 0-24" />
        <path d="M98 42c-7-9 7-14 0-26" />
        <path d="M116 46c-7-9 7-14 0-24" />
      </g>
      <path d="M134 76c30-6 32 42-4 42" fill="none" stroke="#5f8b84" strokeWidth="10" strokeLinecap="round" />
      <path d="M56 60h84l-5 70a10 10 0 0 1-10 10H71a10 10 0 0 1-10-10Z" fill="#f7ecdc" />
      <path d="M118 60h22l-5 70a10 10 0 0 1-10 10h-14Z" fill="#e6d6c0" />
      <path d="M56 60h84l-2 29c-13 8-21-5-34 3s-22-6-32 1c-5 3-9 2-14 0Z" fill="#5f8b84" />
      <path d="M118 60h22l-2 29c-8 5-14 2-21 1Z" fill="#4c736d" />
      <ellipse cx="98" cy="60" rx="42" ry="8" fill="#77a49c" />
      <ellipse cx="98" cy="61.5" rx="35" ry="5.4" fill="#54301a" />
      <g fill="#8a5330" opacity="0.55">
        <circle cx="74" cy="114" r="1.8" />
        <circle cx="92" cy="124" r="1.5" />
        <circle cx="106" cy="110" r="1.8" />
        <circle cx="82" cy="102" r="1.4" />
      </g>
    </Canvas>
  );
}
