export default function Page() {
  return <p>Paidonce</p>;
}
