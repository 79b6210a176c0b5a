import { Notice, type Tone } from '../notice.tsx';

export function Verdict(props: { tone: Tone; title: string; body: string }) {
  return (
    <div role="status" className="mt-8">
      <Notice tone={props.tone} title={props.title}>
        {props.body}
      </Notice>
    </div>
  );
}
