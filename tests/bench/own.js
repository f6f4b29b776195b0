// What the page itself takes for each click: its handlers, what they leave to the next task, and the layout that follows. Gives
// the milliseconds of each, in order.
(async () => {
  const { port1, port2 } = new MessageChannel();
  const turn = () =>
    new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(null);
    });
  const took = [];
  for (const button of document.querySelectorAll('#all button')) {
    const began = performance.now();
    const where = { bubbles: true, cancelable: true, composed: true, view: window, button: 0 };
    button.dispatchEvent(new PointerEvent('pointerdown', { ...where, buttons: 1 }));
    button.dispatchEvent(new MouseEvent('mousedown', { ...where, buttons: 1 }));
    button.focus();
    button.dispatchEvent(new PointerEvent('pointerup', where));
    button.dispatchEvent(new MouseEvent('mouseup', where));
    button.click();
    await turn();
    button.getBoundingClientRect();
    took.push(performance.now() - began);
  }
  return took;
})();
