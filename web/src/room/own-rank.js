// Your rank in the draw, computed from public values and nothing of ours. Runs in any browser's console.
export async function rank(seed, event, epoch, pseudonym) {
  const bytes = Uint8Array.from(seed.match(/../g), (hex) => parseInt(hex, 16));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const text = new TextEncoder().encode(`${event}|${epoch}|${pseudonym}`);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, text));
  return [...mac.slice(0, 8)].map((b) => b.toString(16).padStart(2, "0")).join("");
}
