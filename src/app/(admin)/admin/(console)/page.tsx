import { redirect } from 'next/navigation';

export default function ConsolePage() {
  redirect('/admin/operations');
}
