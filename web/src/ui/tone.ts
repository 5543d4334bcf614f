/** One of six colour pairs (styles/list.css), the same for an event everywhere. */
export function tone(id: string): number {
  let sum = 7;
  for (const c of id) sum = (sum * 31 + c.charCodeAt(0)) >>> 0;
  return sum % 6;
}
