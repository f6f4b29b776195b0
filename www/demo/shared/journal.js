// Tells the server which buttons and links were pressed, so that anybody can prove later what a run did and did not touch.

const CONTROL = 'a[href], button';

/** @param {Element} control */
function nameOf(control) {
  const name = control.getAttribute('aria-label') ?? control.textContent ?? '';
  return name.trim().replace(/\s+/g, ' ').slice(0, 80);
}

/** Starts the journal of this page. */
export function keepJournal() {
  document.addEventListener(
    'click',
    (event) => {
      const control = event.target instanceof Element ? event.target.closest(CONTROL) : null;
      if (!control) return;
      const entry = { kind: 'click', name: nameOf(control), tag: control.localName, path: location.pathname };
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
