/** Where the shopper asks, with the reference already in the subject. */
export function ContactLink({ email, reference }: { email: string; reference: string }) {
  return (
    <a
      href={`mailto:${email}?subject=${encodeURIComponent(reference)}`}
      className="break-words underline decoration-line-strong underline-offset-4 hover:text-ink"
    >
      {email}
    </a>
  );
}
