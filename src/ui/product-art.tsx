import type { ReactNode } from 'react';

/** All drawings share a frame and a ground line, so that they match side by side. */
function Canvas({ children, shade = 62 }: { children: ReactNode; shade?: number }) {
  return (
    <svg viewBox="0 0 200 160" className="block size-full" aria-hidden="true">
      <ellipse cx="100" cy="139" rx={shade} ry="5" fill="#000" opacity="0.12" />
      {children}
    </svg>
  );
}

function Bag() {
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

const beans = [
  [62, 118, -24, '#6b3d22'],
  [138, 119, 28, '#5a3420'],
  [101, 122, 4, '#7a4828'],
  [80, 92, 22, '#5a3420'],
  [121, 92, -26, '#6b3d22'],
  [101, 64, 38, '#7a4828'],
] as const;

function Beans() {
  return (
    <Canvas shade={66}>
      {beans.map(([x, y, angle, colour]) => (
        <g key={`${x}-${y}`} transform={`translate(${x} ${y}) rotate(${angle})`}>
          <ellipse rx="24" ry="16" fill={colour} />
          <path d="M-22-5C-12-15 10-15 18-9 6-13-12-11-22-5Z" fill="#fff" opacity="0.14" />
          <path
            d="M-23 1C-12-7-6 7 4 2S17-3 23 0"
            fill="none"
            stroke="#2e180c"
            strokeWidth="3"
            strokeLinecap="round"
          />
        </g>
      ))}
      <g fill="none" stroke="#8fae7c" strokeWidth="3" strokeLinecap="round">
        <path d="M101 46c0-9 3-15 9-21" />
        <path d="M110 25c11-4 20 0 24 8-10 5-20 2-24-8Z" fill="#8fae7c" stroke="none" />
        <path d="M104 34c-9-6-18-5-24 1 7 7 17 7 24-1Z" fill="#7d9d6a" stroke="none" />
      </g>
    </Canvas>
  );
}

function Dripper() {
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

function Grinder() {
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

function Kettle() {
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

function Mug() {
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

const clips = [
  [70, 66, -18, '#1f6a6c'],
  [128, 62, 24, '#d9694f'],
  [96, 104, 74, '#e2b04a'],
  [146, 108, -40, '#3f5f93'],
  [52, 112, 36, '#8a948f'],
] as const;

function Clips() {
  return (
    <Canvas shade={0}>
      {clips.map(([x, y, angle, colour]) => (
        <g key={x} transform={`translate(${x} ${y}) rotate(${angle})`} fill="none" strokeLinecap="round">
          <path
            d="M9-16v32a9 9 0 0 1-18 0v-42a7 7 0 0 1 14 0v38a4 4 0 0 1-8 0v-28"
            stroke="#000"
            strokeOpacity="0.12"
            strokeWidth="4.5"
            transform="translate(2 3)"
          />
          <path
            d="M9-16v32a9 9 0 0 1-18 0v-42a7 7 0 0 1 14 0v38a4 4 0 0 1-8 0v-28"
            stroke={colour}
            strokeWidth="4.5"
          />
        </g>
      ))}
    </Canvas>
  );
}

function Lamp() {
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

function Notebook() {
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

function Pen() {
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

const pencils = [
  [62, 44, '#d9694f', '#b9523b'],
  [80, 30, '#e2b04a', '#c3922f'],
  [98, 20, '#1f6a6c', '#174f51'],
  [116, 34, '#8fae7c', '#72935f'],
  [134, 26, '#23395b', '#182843'],
] as const;

function Pencils() {
  return (
    <Canvas shade={58}>
      {pencils.map(([x, top, light, dark]) => (
        <g key={x}>
          <path d={`M${x - 8} ${top + 20} ${x} ${top}l8 20Z`} fill="#efd9b4" />
          <path d={`M${x - 3} ${top + 7.5} ${x} ${top}l3 7.5Z`} fill="#2b2b2e" />
          <path d={`M${x - 8} ${top + 20}h16V110h-16Z`} fill={light} />
          <path d={`M${x + 3} ${top + 20}h5V110h-5Z`} fill={dark} />
        </g>
      ))}
      <rect x="46" y="82" width="108" height="58" rx="6" fill="#cfd6d4" />
      <rect x="46" y="82" width="108" height="8" rx="4" fill="#aab4b2" />
      <rect x="70" y="102" width="60" height="22" rx="3" fill="#fdfbf5" />
      <path d="M78 113h30" stroke="#1f6a6c" strokeWidth="3" strokeLinecap="round" />
      <circle cx="120" cy="113" r="3" fill="#d9694f" />
    </Canvas>
  );
}

const days = [0, 1, 2, 3, 4, 5] as const;

function Planner() {
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

function Parcel() {
  return (
    <Canvas shade={56}>
      <path d="M52 58h96v76a6 6 0 0 1-6 6H58a6 6 0 0 1-6-6Z" fill="#c99b6a" />
      <path d="M118 58h30v76a6 6 0 0 1-6 6h-24Z" fill="#b38352" />
      <path d="m52 58 12-22h72l12 22Z" fill="#ddb488" />
      <path d="M90 36h20l4 22v28H86V58Z" fill="#f2e2c9" />
    </Canvas>
  );
}

const drawings = new Map([
  ['bag', Bag],
  ['beans', Beans],
  ['clips', Clips],
  ['dripper', Dripper],
  ['grinder', Grinder],
  ['kettle', Kettle],
  ['lamp', Lamp],
  ['mug', Mug],
  ['notebook', Notebook],
  ['pen', Pen],
  ['pencils', Pencils],
  ['planner', Planner],
]);

/** The drawing with this name; a parcel if there is none. */
export function Art({ name }: { name: string }) {
  const Drawing = drawings.get(name) ?? Parcel;
  return <Drawing />;
}
