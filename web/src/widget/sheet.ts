const sheets = new Map<string, CSSStyleSheet>();

/**
 * Gives a shadow root a style sheet without a <style> or a file, which a strict policy would forbid. Its rem are not those of
 * the page, whose root may have any size, but the size that the reader has chosen for text.
 */
export function adopt(root: ShadowRoot, css: string): void {
  const probe = document.createElement("i");
  probe.style.font = "medium serif";
  root.append(probe);
  const rem = parseFloat(getComputedStyle(probe).fontSize) || 16;
  probe.remove();
  const text = css.replace(/([\d.]+)rem\b/g, (_, n: string) => `${+(Number(n) * rem).toFixed(2)}px`);
  let sheet = sheets.get(text);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.set(text, sheet);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
