// Tells the server what was pressed, so that anybody can prove later what a run did and did not touch.

const CONTROL = 'a[href], button, input, select, textarea, summary, [role]';

/** @param {Element} control */
function nameOf(control) {
  const label = control instanceof HTMLInputElement ? control.labels?.[0]?.textContent : null;
  return (label ?? control.getAttribute('aria-label') ?? control.textContent ?? '')
    .trim()
    .replace(/\s+/g, ' ')
    .slice(0, 80);
}

/** Starts the journal of this page. */
export function keepJournal() {
  document.addEventListener(
    'click',
    (event) => {
      const control = event.target instanceof Element ? event.target.closest(CONTROL) : null;
      const entry = {
        kind: 'click',
        name: control ? nameOf(control) : '',
        tag: control?.localName ?? '',
        path: location.pathname,
      };
      void fetch('/api/events', {
        method: 'POST',
        keepalive: true,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(entry),
      });
    },
    { capture: true },
  );
}
