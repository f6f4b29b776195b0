// What a page came to, for whoever judges it: said when "Save" is pressed, from the state that the page itself keeps.
globalThis.saves = (state) => {
  document.querySelector('#save').addEventListener('click', () => {
    document.documentElement.dataset.outcome = String(state());
  });
};
