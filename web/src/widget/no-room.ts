/** What will not come keeps no place in the page: while a card is there that says so, the element is as high as the card. A height of the partner's own stays. */
export function takeNoRoom(card: HTMLElement): void {
  queueMicrotask(() => { // it has no place before
    const root = card.getRootNode() as ShadowRoot, sheet = new CSSStyleSheet();
    sheet.replaceSync(":host{height:auto}");
    root.adoptedStyleSheets.push(sheet);
    new MutationObserver((_, watch) => {
      sheet.disabled = !root.contains(card);
      if (sheet.disabled) watch.disconnect();
    }).observe(root, { childList: true, subtree: true });
  });
}
