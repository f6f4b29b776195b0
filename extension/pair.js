// The pairing page: `pair.html#<port>.<code>`. Opening it is all a person does. The code works once, for a minute, and is
// taken out of the history before it is used.

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Writes a sentence; what stands between backticks is something to type. @param {HTMLElement} place @param {string} sentence */
function write(place, sentence) {
  const parts = sentence.split('`').map((part, at) => {
    if (at % 2 === 0) return document.createTextNode(part);
    const typed = document.createElement('code');
    typed.textContent = part;
    return typed;
  });
  place.replaceChildren(...parts);
}

/**
 * @param {'good' | 'bad'} tone @param {string} title @param {string} text @param {string} next
 */
function show(tone, title, text, next) {
  document.title = title;
  element('title').textContent = title;
  write(element('text'), text);
  write(element('next'), next);
  element('next').hidden = next === '';
  const card = /** @type {HTMLElement} */ (document.querySelector('main'));
  card.dataset.tone = tone;
  card.ariaBusy = 'false';
}

/** @param {string} fragment @returns {{port: number, code: string} | null} */
function read(fragment) {
  const found = /^#(\d{1,5})\.([A-Za-z0-9_-]{6,128})$/.exec(fragment);
  const port = Number(found?.[1]);
  return found && port > 0 && port < 65_536 ? { port, code: found[2] } : null;
}

async function pair() {
  const invitation = read(location.hash);
  history.replaceState(null, '', location.pathname);
  if (!invitation) {
    show('bad', 'Nothing to pair with', 'This address holds no pairing code, or the code was used already.', ASK);
    return;
  }
  const answer = await chrome.runtime.sendMessage({ type: 'pair', ...invitation });
  if (answer?.ok) {
    const text = `This browser and the Cairn on port ${invitation.port} know each other now. They connect by themselves from here on.`;
    show(
      'good',
      'Paired with Cairn',
      text,
      'You can close this tab. `cairn record NAME --url URL --attach` records a first script.',
    );
  } else {
    show('bad', 'Pairing did not work', answer?.message ?? 'The extension did not answer.', ASK);
  }
}

const ASK = 'Run `cairn pair` and open the address that it prints in this browser.';

function begin() {
  pair().catch((error) => show('bad', 'Pairing did not work', String(error), ASK));
}

// Another invitation may be opened in the same tab: that does not load the page again.
addEventListener('hashchange', () => location.hash && begin());
begin();
