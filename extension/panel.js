// The side panel: record, stop, the steps as they are captured and what is weak about each. What it shows comes from the
// worker through the session's storage; names and texts of pages are only ever shown as text.

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} message empty: none */
function showError(message) {
  element('error').textContent = message;
  element('error').hidden = message === '';
}

/** @param {{connected: number[], paired: boolean} | undefined} status @param {string | null | undefined} refusal */
function showStatus(status, refusal) {
  const connected = (status?.connected.length ?? 0) > 0;
  element('status').dataset.tone = connected ? 'good' : 'quiet';
  element('status').textContent = connected ? 'Connected' : 'Not connected';
  /** @type {HTMLButtonElement} */ (element('start')).disabled = !connected;
  if (connected) showError('');
  else if (refusal) showError(refusal);
  else if (status?.paired)
    showError('Cairn is not running. Start it with `cairn serve`; this browser connects by itself.');
  else showError('This browser is not paired yet. Run `cairn serve` and open the address that it prints as pairUrl.');
}

/** @param {Cairn.PanelStep} step @returns {HTMLLIElement} */
function stepItem(step) {
  const item = document.createElement('li');
  item.value = step.number;
  const text = document.createElement('span');
  text.textContent = step.text;
  item.append(text);
  if (step.weak) {
    const weak = document.createElement('small');
    weak.className = 'weak';
    weak.textContent = `Weak: ${step.weak}`;
    item.append(weak);
  }
  return item;
}

/** @type {string | null} */
let lease = null;

/** @param {Cairn.PanelState | undefined} state */
function showRecording(state) {
  lease = state?.lease ?? null;
  element('record').hidden = lease !== null;
  element('recording').hidden = lease === null;
  if (!state || lease === null) return;
  element('recording-name').textContent = state.name;
  element('empty').hidden = state.steps.length > 0;
  element('steps').replaceChildren(...state.steps.map(stepItem));
  element('steps').lastElementChild?.scrollIntoView({ block: 'nearest' });
}

async function refresh() {
  const { status, refusal, panel } = /** @type {any} */ (
    await chrome.storage.session.get(['status', 'refusal', 'panel'])
  );
  showStatus(status, refusal);
  showRecording(panel);
}

/** @param {object} message */
async function ask(message) {
  const answer = await chrome.runtime.sendMessage(message);
  if (!answer?.ok) showError(answer?.message ?? 'The extension did not answer.');
}

element('record').addEventListener('submit', async (event) => {
  event.preventDefault();
  const name = /** @type {HTMLInputElement} */ (element('name')).value.trim();
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  if (tab?.id === undefined) showError('There is no tab to record in this window.');
  else await ask({ type: 'record', tab: tab.id, name });
});

element('stop').addEventListener('click', () => ask({ type: 'stop', lease }));

chrome.storage.session.onChanged.addListener(() => void refresh());
void refresh();
void ask({ type: 'wake' });
