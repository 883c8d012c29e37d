/** Runs in the page: finds text with too little contrast, targets that are too small, and content wider than the screen. */
export const PHONE_PROBLEMS = `(() => {
  const problems = [];
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((channels(colour)[3] ?? 1) === 1) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const contrast = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const judge = (what, colour, background) => {
    const found = contrast(colour, background);
    if (found < 7) problems.push('contrast ' + found.toFixed(2) + ': ' + what);
  };
  for (const element of document.querySelectorAll('main *')) {
    if (!element.checkVisibility()) continue;
    const box = element.getBoundingClientRect();
    const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join('');
    const control = element.matches('input, select, button');
    // What is chosen is told by its label.
    if (own || (control && !element.matches('[type=radio], [type=checkbox]'))) judge(own || element.id, getComputedStyle(element).color, backgroundOf(element));
    if (element.placeholder) judge('placeholder', getComputedStyle(element, '::placeholder').color, backgroundOf(element));
    if (box.left < 0 || box.right > innerWidth) problems.push('leaves the panel: ' + (own || element.outerHTML.slice(0, 60)));
    const target = control ? element.closest('label') ?? element : null;
    const size = target?.getBoundingClientRect();
    if (size && Math.min(size.width, size.height) < 48) problems.push('target of ' + Math.min(size.width, size.height) + ' px: ' + (own || element.id));
    if (control && parseFloat(getComputedStyle(element).fontSize) < 16) problems.push('zooms in: ' + element.id);
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push('scrolls sideways');
  return problems;
})()`;
