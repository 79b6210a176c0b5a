/** As it is sent: a code may be pasted with spaces around it; in a password they count. */
export function proofOf(by: 'password' | 'code', typed: string): string {
  return by === 'code' ? typed.trim() : typed;
}
