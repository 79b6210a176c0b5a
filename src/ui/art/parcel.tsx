import { Canvas } from './canvas.tsx';

export function Parcel() {
  return (
    <Canvas shade={56}>
      <path d="M52 58h96v76a6 6 0 0 1-6 6H58a6 6 0 0 1-6-6Z" fill="#c99b6a" />
      <path d="M118 58h30v76a6 6 0 0 1-6 6h-24Z" fill="#b38352" />
      <path d="m52 58 12-22h72l12 22Z" fill="#ddb488" />
      <path d="M90 36h20l4 22v28H86V58Z" fill="#f2e2c9" />
    </Canvas>
  );
}
