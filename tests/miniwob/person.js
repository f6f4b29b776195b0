// What a person does to solve a MiniWoB++ task. Each task is a generator of acts: where the pointer goes, what is typed.
// The runner asks for the next act when the last one is done, so each sees the page as it is by then.

const one = (css, root = document) => root.querySelector(css);
const all = (css, root = document) => [...root.querySelectorAll(css)];
const text = (element) => element.textContent.trim();
const query = () => text(one('#query'));
const quoted = (place = 0) => [...query().matchAll(/"([^"]*)"/g)][place]?.[1];
const bold = (place = 0) => text(all('#query .bold, #query b')[place]);
const shown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 0;
const named = (css, name, root = document) => all(css, root).find((each) => text(each) === name && shown(each));
const ordinal = () => Number(/(\d+)(st|nd|rd|th)/.exec(query())?.[1]);

const point = (element, across = 0.5, down = 0.5) => {
  element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  const box = element.getClientRects()[0] ?? element.getBoundingClientRect();
  return [box.x + box.width * across, box.y + box.height * down];
};
const click = (element, across, down) => ({ click: point(element, across, down) });
const type = (value) => ({ type: String(value) });
const press = (key) => ({ press: key });
const move = (element) => ({ move: point(element) });
const pause = (ms) => ({ wait: ms });
const drag = (...points) => ({ drag: points });
const submit = () => click(one('#subbtn, #submit') ?? named('button', 'Submit') ?? one('#controls button'));

function* until(met) {
  while (!met()) yield pause(30);
}
function* still(element) {
  for (let before = ''; before !== (before = JSON.stringify(element.getBoundingClientRect())); ) yield pause(60);
  let last = '';
  for (;;) {
    const now = JSON.stringify(element.getBoundingClientRect());
    if (now === last) return;
    last = now;
    yield pause(80);
  }
}
function* write(field, value) {
  yield click(field);
  yield press('Control+a');
  yield type(value);
}
function* answer(value, field = one('#tt, #math-answer, #answer-input')) {
  yield* write(field, value);
  yield submit();
}
function* choose(select, index) {
  yield click(select);
  yield press('Home');
  for (let step = 0; step < index; step++) yield press('ArrowDown');
  yield press('Enter');
}
function* slide(slider, wanted, get) {
  // With the keys, as everyone does who wants an exact value.
  yield click(one('.ui-slider-handle', slider));
  while (get() !== wanted) yield press(get() < wanted ? 'ArrowRight' : 'ArrowLeft');
}
function* tick(names) {
  for (const name of names) yield click(all('label').find((label) => text(label) === name));
  yield submit();
}
function* pick(day) {
  const [month, date, year] = day.split('/').map(Number);
  yield click(one('#datepicker'));
  yield* until(() => one('.ui-datepicker-calendar') && shown(one('.ui-datepicker-calendar')));
  yield pause(350);
  const months = 'January February March April May June July August September October November December'.split(' ');
  const now = () => Number(text(one('.ui-datepicker-year'))) * 12 + months.indexOf(text(one('.ui-datepicker-month')));
  while (now() !== year * 12 + month - 1) {
    yield click(one(now() > year * 12 + month - 1 ? '.ui-datepicker-prev' : '.ui-datepicker-next'));
  }
  yield click(named('.ui-datepicker-calendar a', String(date)));
  // What fades out still lies over what is clicked next.
  yield* until(() => !shown(one('#ui-datepicker-div')));
}
const words = () => text(one('#area p')).split(/\s+/);

const tasks = {
  *'click-test'() {
    yield submit();
  },
  *'click-test-2'() {
    yield click(one('#subbtn'));
  },
  *'click-test-transfer'() {
    yield click(named('button', query().match(/ONE|TWO/)[0]));
  },
  *'click-button'() {
    yield click(named('#area button', quoted()));
  },
  *'click-button-sequence'() {
    yield click(one('#subbtn'));
    yield click(one('#subbtn2'));
  },
  *'button-delay'() {
    yield click(one('#subbtn'));
    yield pause(Number(/wait (\d)/.exec(query())[1]) * 1000);
    yield click(one('#subbtn2'));
  },
  *'unicode-test'() {
    yield click(named('#area button', quoted()));
  },
  *'focus-text'() {
    yield click(one('#tt'));
  },
  *'focus-text-2'() {
    yield click(one(`#tt${ordinal()}`));
  },
  *'use-spinner'() {
    const wanted = Number(/-?\d+/.exec(query())[0]);
    const value = () => Number(one('#spinner').value);
    while (value() !== wanted) yield click(one(value() < wanted ? '.ui-spinner-up' : '.ui-spinner-down'));
    yield submit();
  },
  *'enter-text'() {
    yield* answer(quoted());
  },
  *'enter-text-dynamic'() {
    yield* answer(quoted());
  },
  *'enter-text-2'() {
    yield* answer(/upper/.test(query()) ? quoted().toUpperCase() : quoted().toLowerCase());
  },
  *'enter-date'() {
    yield click(one('#tt'), 0.1);
    yield type(bold().replaceAll('/', ''));
    yield submit();
  },
  *'enter-time'() {
    const [, hours, minutes, half] = /(\d+):(\d+)\s*([AP])M/.exec(query());
    yield click(one('#tt'), 0.1);
    yield type(`${hours.padStart(2, '0')}${minutes}${half}`);
    yield submit();
  },
  *'enter-password'() {
    yield* write(one('#password'), quoted());
    yield* write(one('#verify'), quoted());
    yield submit();
  },
  *'login-user'() {
    yield* write(one('#username'), quoted(0));
    yield* write(one('#password'), quoted(1));
    yield submit();
  },
  *'login-user-popup'() {
    const [name, word] = [quoted(0), quoted(1)];
    for (const [css, value] of [['#username', name], ['#password', word]]) {
      while (one(css).value !== value) {
        if (one('#popup-cancel')) yield click(one('#popup-cancel'));
        yield* write(one(css), value);
        yield pause(100);
      }
    }
    if (one('#popup-cancel')) yield click(one('#popup-cancel'));
    yield submit();
    if (one('#popup-cancel')) {
      yield click(one('#popup-cancel'));
      yield submit();
    }
  },
  *'choose-date'() {
    yield* pick(/\d+\/\d+\/\d+/.exec(query())[0]);
    yield submit();
  },
  *'scroll-text'() {
    const said = one('#text-area').value.trim().split(/\s+/).at(-1).replace(/[^a-zA-Z0-9]/g, '');
    yield* answer(said, one('#answer-input'));
  },
  *'scroll-text-2'() {
    yield click(one('#text-area'));
    yield press(/bottom/.test(query()) ? 'Control+End' : 'Control+Home');
    yield pause(100);
    yield submit();
  },
  *'click-dialog'() {
    yield click(one('.ui-dialog-titlebar-close'));
  },
  *'click-dialog-2'() {
    yield click(quoted() === 'x' ? one('.ui-dialog-titlebar-close') : named('.ui-dialog-buttonset button', quoted()));
  },
  *'click-collapsible'() {
    yield click(one('#area h3'));
    yield* until(() => shown(one('.ui-accordion-content')));
    yield* still(one('#subbtn'));
    yield submit();
  },
  *'click-collapsible-2'() {
    const wanted = all('.alink').find((link) => text(link) === quoted());
    yield click(wanted.closest('.ui-accordion-content').previousElementSibling);
    yield* until(() => shown(wanted));
    yield* still(wanted);
    yield click(wanted);
  },
  *'click-option'() {
    yield* tick([/Select (.*) and click/.exec(query())[1]]);
  },
  *'click-checkboxes'() {
    const names = /Select (.*) and click/.exec(query())[1];
    yield* tick(names === 'nothing' ? [] : names.split(', '));
  },
  *'click-checkboxes-soft'() {
    const groups = SYNONYMS;
    const asked = /similar to (.*) and click/.exec(query())[1].split(', ');
    const fits = (name) => groups.some((group) => group.includes(name) && group.some((like) => asked.includes(like)));
    yield* tick(all('#boxes label').map(text).filter(fits));
  },
  *'click-link'() {
    yield click(all('.alink').find((link) => text(link) === quoted()));
  },
  *'click-tab'() {
    yield click(named('#area a', `Tab ${/#\d/.exec(query())[0]}`));
  },
  *'click-tab-2'() {
    const wanted = all('.alink').find((link) => text(link) === quoted());
    if (!wanted) return yield click(all('.ui-tab')[1]);
    const panel = wanted.closest('[role=tabpanel]');
    if (!shown(wanted)) yield click(one(`a[href="#${panel.id}"]`));
    yield* until(() => shown(wanted));
    yield click(wanted);
  },
  *'click-menu'() {
    const path = /Select (.*)$/.exec(query())[1].split('>');
    for (const [place, name] of path.entries()) {
      const item = all('#menu div').find((each) => text(each) === name);
      yield* until(() => shown(item));
      yield* still(item);
      yield place === path.length - 1 ? click(item) : move(item);
      yield pause(500);
    }
  },
  *'click-menu-2'() {
    yield click(one('#open-menu'));
    const icon = one('#query .ui-icon')?.classList[1];
    const item = icon ? one(`#menu .${icon}`).parentElement : all('#menu div').find((each) => text(each) === quoted());
    const above = item.closest('ul').closest('li');
    if (above) {
      yield* until(() => shown(above));
      yield move(above.firstElementChild);
      yield* until(() => shown(item));
      yield pause(400);
    }
    yield click(item);
  },
  *'choose-list'() {
    const select = one('#options');
    const wanted = /Select (.*) from the list/.exec(query())[1];
    yield* choose(select, [...select.options].findIndex((option) => option.text === wanted));
    yield submit();
  },
  *'click-scroll-list'() {
    const names = /Select (.*) from the scroll/.exec(query())[1].split(', ');
    for (const [place, name] of names.entries()) {
      const option = all('#options option').find((each) => each.text === name);
      yield { ...click(option), add: place > 0 };
    }
    yield submit();
  },
  *'simple-arithmetic'() {
    const [, a, action, b] = /(\d) ([-+x]) (\d)/.exec(text(one('#math-problem')));
    yield* answer({ '-': a - b, '+': +a + +b, x: a * b }[action]);
  },
  *'simple-algebra'() {
    const said = text(one('#math-problem'));
    const [, left, action, right, sum] = /(x|\d+) ([-+]) (x|\d+) = (-?\d+)/.exec(said);
    if (action === '+') return yield* answer(sum - (left === 'x' ? right : left));
    yield* answer(left === 'x' ? +sum + +right : left - sum);
  },
  *'visual-addition'() {
    yield* answer(all('.addition-block').length);
  },
  *'use-autocomplete'() {
    const [start, end = ''] = [quoted(0), quoted(1)];
    yield click(one('#tags'));
    yield type(start);
    yield* until(() => all('.ui-menu-item').some(shown));
    yield click(all('.ui-menu-item').find((item) => text(item).startsWith(start) && text(item).endsWith(end)));
    yield submit();
  },
  *'use-slider'() {
    const wanted = Number(/Select (-?\d+)/.exec(query())[1]);
    yield* slide(one('#slider'), wanted, () => Number(text(one('#val'))));
    yield submit();
  },
  *'use-slider-2'() {
    const wanted = JSON.parse(/\[.*\]/.exec(query())[0]);
    for (const [place, value] of wanted.entries()) {
      yield* slide(one(`#slider-${place + 1}`), value, () => Number(text(one(`#val-${place + 1}`))));
    }
    yield submit();
  },
  *'form-sequence'() {
    const wanted = Number(/Select (-?\d+)/.exec(query())[1]);
    yield* slide(one('#slider'), wanted, () => Number(text(one('#val'))));
    yield click(one(`#checkbox-${ordinal()}`));
    yield submit();
  },
  *'form-sequence-2'() {
    const [radio, box] = [...query().matchAll(/(\d)(?:st|nd|rd)/g)].map((match) => match[1]);
    yield click(one(`input[type=radio][value="${radio}"]`));
    yield* answer(quoted(), one(`#input-${box}`));
  },
  *'form-sequence-3'() {
    yield click(one('.selectric'));
    const wanted = /Choose (.*) from/.exec(query())[1];
    yield* until(() => all('.selectric-items li').some(shown));
    yield click(named('.selectric-items li', wanted));
    yield click(named('#buttons button', quoted()));
  },
  *'text-transform'() {
    yield* answer(all('#captcha span').map(text).join(''));
  },
  *'highlight-text'() {
    yield* select(one('#randomText'));
    yield submit();
  },
  *'highlight-text-2'() {
    yield* select(all('#randomText p')[ordinal() - 1]);
    yield submit();
  },
  *'guess-number'() {
    let [low, high] = [0, 9];
    while (low <= high) {
      const guess = Math.floor((low + high) / 2);
      yield* answer(guess);
      yield pause(60);
      if (shown(one('#correct'))) return;
      if (shown(one('#higher'))) low = guess + 1;
      else high = guess - 1;
    }
  },
  *'simon-says'() {
    const seen = [];
    const watch = new MutationObserver((records) => {
      for (const { target } of records) if (target.matches('.push')) seen.push(target);
    });
    watch.observe(one('#area'), { subtree: true, attributeFilter: ['class'] });
    yield pause(600 * 5 + 700);
    watch.disconnect();
    for (const button of [...seen]) yield click(button);
  },
  *'copy-paste'() {
    yield click(one('#to-copy'));
    yield press('Control+a');
    yield* answer(one('#to-copy').value, one('#answer-input'));
  },
  *'copy-paste-2'() {
    yield click(one(`#text-${ordinal()}`));
    yield* answer(one(`#text-${ordinal()}`).value, one('#answer-input'));
  },
  *'click-widget'() {
    yield click(one(`#area [data-type=${quoted()}]`));
  },
  *'read-table'() {
    const row = all('#tab tr').find((each) => text(each.cells[0]) === bold());
    yield* answer(text(row.cells[1]));
  },
  *'read-table-2'() {
    for (const place of [1, 2]) {
      const name = text(one(`#ll${place}`)).replace(/:$/, '');
      const row = all('#tab tr').find((each) => text(each.cells[0]) === name);
      yield* write(one(`#tt${place}`), text(row.cells[1]));
    }
    yield submit();
  },
  *'find-word'() {
    yield* answer(words()[ordinal() - 1].replace(/[^a-zA-Z]/g, ''), one('#answer-input'));
  },
  *'odd-or-even'() {
    for (const row of all('.row')) {
      yield click(one(Number(text(one('.display-number', row))) % 2 ? '.odd' : '.even', row));
    }
    yield submit();
  },
  *'generate-number'() {
    const said = query();
    const fits = (number) => {
      if (Number.isNaN(number)) return false;
      const limit = Number(/\d+/.exec(said)?.[0]);
      if (/less/.test(said)) return number < limit;
      if (/greater/.test(said)) return number > limit;
      return number % 2 === (/odd/.test(said) ? 1 : 0);
    };
    while (!fits(Number.parseInt(text(one('#display-number')), 10))) yield click(one('#generate'));
    yield submit();
  },
  *'click-color'() {
    const patch = one('#query-color');
    const wanted = patch ? patch.style.backgroundColor : bold();
    yield click(one(`#area [data-color=${wanted}]`));
  },
  *'click-shades'() {
    const wanted = /red|green|blue/.exec(query())[0];
    for (const shade of all(`#area span[data-color=${wanted}]`)) yield click(shade);
    yield submit();
  },
  *'find-greatest'() {
    const value = (card) => Number(card.textContent);
    const best = all('#cardholder .card').reduce((top, card) => (value(card) > value(top) ? card : top));
    for (const card of all('#cardholder .card')) yield click(card);
    yield click(best);
    yield click(one('#submit'));
  },
  *'grid-coordinate'() {
    yield click(document.getElementById(bold()));
  },
  *'navigate-tree'() {
    const wanted = all('#tree span').find((each) => text(each) === quoted());
    const above = [];
    for (let at = wanted.closest('li').parentElement.closest('li'); at; at = at.parentElement.closest('li')) above.unshift(at);
    for (const folder of above) {
      yield click(one('span', folder));
      yield* until(() => shown(one('ul', folder)));
      yield pause(100);
    }
    yield click(wanted);
  },
  *'multi-orderings'() {
    yield* movie();
  },
  *'multi-layouts'() {
    yield* movie();
  },
  *'sign-agreement'() {
    if (!/Scroll/.test(query())) return yield click(one('#cancel'));
    yield { wheel: [...point(one('#text-area')), 4000] };
    yield* until(() => !one('#name').disabled);
    yield* write(one('#name'), quoted(0));
    yield click(one(quoted(1) === 'Agree' ? '#agree' : '#cancel'));
  },
  *'circle-center'() {
    yield click(one('.black-circle'));
    yield submit();
  },
  *'find-midpoint'() {
    const [a, b] = all('svg circle').map((each) => point(each));
    yield { click: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] };
    yield submit();
  },
  *'ascending-numbers'() {
    yield click(named('svg text', '1'));
    while (one('svg rect')) yield click(one('svg rect'));
  },
  *'click-shape'() {
    yield click(all('#area_svg > *').find((each) => fitsShape(each, /Click on an? (.*)$/.exec(query())[1])));
  },
  *'count-shape'() {
    const wanted = /How many (.*)s are there/.exec(query())[1];
    const count = all('#area_svg > *').filter((each) => fitsShape(each, wanted)).length;
    yield click(named('#count-buttons button', String(count)));
  },
  *'identify-shape'() {
    const shape = one('#area_svg > *');
    const tag = shape.tagName.toLowerCase();
    const letter = /[a-z]/i.test(text(shape));
    const kind = { circle: 'circle', rect: 'rectangle', polygon: 'triangle', text: letter ? 'letter' : 'digit' }[tag];
    yield click(one(`[data-type=${kind}]`));
  },
  *'social-media'() {
    const [user, action] = [bold(0), bold(1)];
    const post = all('.media').find((each) => [text(one('.username', each)), text(one('.name', each))].includes(user));
    const direct = { Reply: '.reply', Retweet: '.retweet', Like: '.like' }[action];
    if (direct) return yield click(one(direct, post));
    yield click(one('.more', post));
    yield click(all('li', post).find((each) => text(each).startsWith(action) || text(each) === action));
  },
  *'social-media-all'() {
    yield* social(Number.POSITIVE_INFINITY);
  },
  *'social-media-some'() {
    yield* social(Number.parseInt(bold(1), 10));
  },
  *'search-engine'() {
    yield* write(one('#search-text'), bold(0));
    yield click(one('#search'));
    const place = Number.parseInt(bold(1), 10);
    const page = Math.ceil(place / 3);
    yield* until(() => one('#page-content a'));
    if (page > 1) yield click(named('#pagination a', String(page)));
    yield click(all('#page-content a')[(place - 1) % 3]);
  },
  *'phone-book'() {
    const [, name, part] = /Find (.*) in the contact book and click on their (phone|email|address)/.exec(query());
    for (let page = 1; text(one('#contact .name')) !== name; page++) yield click(named('#pagination a', '>'));
    yield click(one(`#contact .${part}`));
  },
  *'drag-items'() {
    yield* sort('#sortable li', 5);
  },
  *'drag-items-grid'() {
    yield* sort('#sortable li', 9);
  },
  *'drag-sort-numbers'() {
    const values = () => all('#sortable li div').map((each) => Number(text(each)));
    for (let place = 0; place < 4; place++) {
      const now = values();
      const least = now.indexOf(Math.min(...now.slice(place)), place);
      if (least !== place) yield dropBefore(all('#sortable li')[least], all('#sortable li')[place]);
    }
    yield submit();
  },
  *'drag-box'() {
    const [small, large] = [point(one('#draggableSmall')), point(one('#draggableLarge'))];
    yield drag(small, large);
    yield submit();
  },
  *'drag-circle'() {
    const start = point(one('svg circle'));
    yield drag(start, toward(start));
    yield submit();
  },
  *'drag-single-shape'() {
    const start = point(one('svg > *:last-child'));
    yield drag(start, toward(start));
    yield submit();
  },
  *'resize-textarea'() {
    const handle = point(one('.ui-resizable-se'));
    const by = /larger/.test(query()) ? 15 : -15;
    yield drag(handle, /width/.test(query()) ? [handle[0] + by, handle[1]] : [handle[0], handle[1] + by]);
    yield submit();
  },
  *'number-checkboxes'() {
    const digit = Number(quoted());
    const boxes = all('#checkboxes input');
    // The page draws the digit beside the boxes; its own table says the same.
    const pattern = PATTERNS[digit].flat();
    for (const [place, box] of boxes.entries()) if (pattern[place]) yield click(box);
    yield submit();
  },
  *'count-sides'() {
    yield click(one(`button[data-sides="${document.documentElement.dataset.sides}"]`));
  },
  *'tic-tac-toe'() {
    const cells = () => all('.ttt-row span').map((each) => (each.className.includes('x') ? 1 : each.className.includes('o') ? -1 : 0));
    const lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
    for (let turn = 0; turn < 5 && !document.documentElement.dataset.reward; turn++) {
      const now = cells();
      const gap = (who) => lines.find((line) => line.filter((at) => now[at] === who).length === 2 && line.some((at) => !now[at]))?.find((at) => !now[at]);
      const free = [4, 0, 2, 6, 8, 1, 3, 5, 7].find((at) => !now[at]);
      yield click(all('.ttt-row span')[gap(1) ?? gap(-1) ?? free]);
      yield pause(200);
    }
  },
  *'order-food'() {
    const said = query();
    const one_each = /Order one of each item: (.*)/.exec(said);
    const add = (item) => click(one('.add', item));
    if (one_each) {
      for (const name of one_each[1].split(', ')) yield add(all('.food-item').find((each) => text(one('.item-name', each)).startsWith(name)));
    } else {
      const [, count, kind] = /Order (\d+) items that are (.*)/.exec(said);
      const fit = all('.food-item').filter((each) => text(one('.types', each)).toLowerCase().includes(kind.toLowerCase()));
      for (let place = 0; place < Number(count); place++) yield add(fit[0]);
    }
    yield click(one('#submit-order button'));
  },
  *'buy-ticket'() {
    const [of_cost, most] = [/cost/.test(bold()), /longest|most/.test(bold())];
    const minutes = (said) => Number(/(\d+)h/.exec(said)?.[1] ?? 0) * 60 + Number(/(\d+)m/.exec(said)?.[1] ?? 0);
    const cost = (each) =>
      (most ? -1 : 1) * (of_cost ? Number(/\d+/.exec(text(one('.buy-ticket', each)))[0]) : minutes(text(one('.time-duration', each))));
    const least = all('.flight').reduce((best, each) => (cost(each) < cost(best) ? each : best));
    yield click(one('.buy-ticket', least));
  },
  *'book-flight'() {
    const [kind, from, to, day] = [0, 1, 2, 3].map(bold);
    for (const [css, city] of [['#flight-from', from], ['#flight-to', to]]) {
      yield click(one(css));
      yield type(city);
      yield* until(() => all('.ui-menu-item').some(shown));
      yield pause(100);
      yield click(all('.ui-menu-item').find((item) => shown(item) && text(item).includes(city)));
    }
    yield* pick(day);
    yield click(one('#search'));
    yield* until(() => one('#results .flight'));
    const minutes = (said) => Number(/(\d+)h/.exec(said)?.[1] ?? 0) * 60 + Number(/(\d+)m/.exec(said)?.[1] ?? 0);
    const cost = (each) => (/cheap/.test(kind) ? Number(/\d+/.exec(text(one('.flight-price', each)))[0]) : minutes(text(one('.time-duration', each))));
    const least = all('#results .flight').reduce((best, each) => (cost(each) < cost(best) ? each : best));
    yield click(one('.flight-price', least));
  },
  *'email-inbox'() {
    yield* mail();
  },
  *'email-inbox-nl-turk'() {
    yield* mail();
  },
  *'use-colorwheel'() {
    yield click(one('#col'));
    yield press('Control+a');
    yield type(hex(/Select (.*) with/.exec(query())[1]));
    // The picker lies over the button until something else is clicked.
    yield click(one('#query'), 0.9, 0.9);
    yield submit();
  },
  *'use-colorwheel-2'() {
    yield click(one('#col'));
    yield press('Control+a');
    yield type(hex(one('.cc').style.backgroundColor));
    // The picker lies over the button until something else is clicked.
    yield click(one('#query'), 0.9, 0.9);
    yield submit();
  },
  *'terminal'() {
    const kind = /extension \.(\w+)/.exec(query())?.[1];
    yield click(one('#terminal'));
    yield type('ls');
    yield press('Enter');
    yield pause(100);
    const files = text(all('.output').at(-1)).split(/\s+/);
    const wanted = files.find((name) => (kind ? name.endsWith(`.${kind}`) : !name.includes('.')));
    yield type(`rm ${wanted}`);
    yield press('Enter');
  },
  *'click-pie'() {
    yield click(named('#divWheel tspan', '+'));
    const wanted = all('#divWheel tspan').find((each) => text(each) === bold());
    yield* until(() => shown(wanted));
    yield* still(wanted);
    yield click(wanted);
  },
  *'bisect-angle'() {
    yield* angle((a, b) => (a + b) / 2);
  },
  *'right-angle'() {
    const circles = all('svg circle').map((each) => point(each));
    const [end, corner] = circles.length > 1 ? circles : [];
    const [x, y] = [end[0] - corner[0], end[1] - corner[1]];
    const length = Math.hypot(x, y);
    const box = one('svg').getBoundingClientRect();
    const tried = [1, -1].map((sign) => [corner[0] - (sign * y * 35) / length, corner[1] + (sign * x * 35) / length]);
    const inside = ([px, py]) => px > box.left + 3 && px < box.right - 3 && py > box.top + 3 && py < box.bottom - 3;
    yield { click: tried.find(inside) ?? tried[0] };
    yield submit();
  },
  *'draw-line'() {
    const dot = point(one('svg circle'));
    const box = one('svg').getBoundingClientRect();
    yield /horizontal/.test(query())
      ? drag([box.left + 10, dot[1]], dot, [box.right - 10, dot[1]])
      : drag([dot[0], box.top + 10], dot, [dot[0], box.bottom - 10]);
    yield submit();
  },
  *'draw-circle'() {
    const dot = point(one('svg circle'));
    const turn = Array.from({ length: 41 }, (_, place) => (place / 40) * 2 * Math.PI);
    yield drag(...turn.map((angle) => [dot[0] + 30 * Math.cos(angle), dot[1] + 30 * Math.sin(angle)]));
    yield submit();
  },
  *'drag-shapes'() {
    const wanted = KINDS[/all (\w+) into/.exec(query())[1]];
    const box = goal();
    for (const shape of all(`#area_svg ${wanted}`).filter((each) => each !== box)) yield drag(point(shape), point(box));
    yield submit();
  },
  *'drag-shapes-2'() {
    const said = /all (\w+)/.exec(query())[1];
    const boxes = all('#area_svg #shape-container');
    const isLeft = (shape) => shape.matches(KINDS[said] ?? `[fill="${said}"]`);
    for (const shape of all('#area_svg > *').filter((each) => !boxes.includes(each))) {
      yield drag(point(shape), point(boxes[isLeft(shape) ? 0 : 1]));
    }
    yield submit();
  },
  *'text-editor'() {
    const said = query();
    const line = one('.ql-editor p');
    const word = /text (\S+) the/.exec(said)?.[1];
    if (word) {
      const range = document.createRange();
      const start = line.textContent.indexOf(word);
      range.setStart(line.firstChild, start);
      range.setEnd(line.firstChild, start + word.length);
      const box = range.getBoundingClientRect();
      yield drag([box.left + 0.5, box.top + box.height / 2], [box.right - 0.5, box.top + box.height / 2]);
    } else {
      yield click(line);
      yield press('Control+a');
    }
    const colour = /color (\w+)/.exec(said)?.[1];
    if (colour) {
      yield click(one('.ql-color .ql-picker-label'));
      const first = { red: '#e60000', orange: '#ff9900', yellow: '#ffff00', green: '#008a00', blue: '#0066cc', purple: '#9933ff' };
      yield* until(() => shown(one('.ql-color .ql-picker-options')));
      yield click(one(`.ql-color .ql-picker-item[data-value="${first[colour]}"]`));
    } else {
      yield click(one(/bold/.test(said) ? '.ql-bold' : /italic/.test(said) ? '.ql-italic' : '.ql-underline'));
    }
    yield submit();
  },
  *'hot-cold'() {
    const box = one('#touch-area').getBoundingClientRect();
    const heat = () => one('#signal')?.className;
    for (let y = box.top + 4; y < box.bottom; y += 7) {
      for (let x = box.left + 4; x < box.right; x += 7) {
        yield { move: [x, y] };
        if (heat() === 'hot') return yield { click: [x, y] };
      }
    }
  },
};

const fitsShape = (element, said) => {
  const parts = said.trim().split(' ');
  const kind = parts.pop();
  const tag = element.tagName.toLowerCase();
  const size = element.getBBox().width;
  const large = tag === 'text' ? element.getAttribute('font-size') === '20px' : size > 15;
  const isDigit = /^\d$/.test(text(element));
  const kinds = { circle: 'circle', rect: 'rectangle', polygon: 'triangle' };
  const own = tag === 'text' ? [isDigit ? 'digit' : 'letter', text(element), 'item'] : ['shape', kinds[tag], 'item'];
  return own.includes(kind) && parts.every((part) => (/large|small/.test(part) ? large === (part === 'large') : part === element.getAttribute('fill')));
};
const toward = ([x, y]) => {
  const by = { left: [-25, 0], right: [25, 0], up: [0, -25], down: [0, 25] }[/left|right|up|down/.exec(query())[0]];
  return [x + by[0], y + by[1]];
};
const KINDS = { circles: 'circle', rectangles: 'rect', triangles: 'polygon' };
const goal = () => one('#shape-container');

function* select(element) {
  const lines = [...element.getClientRects()];
  const box = element.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(element);
  const rects = [...range.getClientRects()];
  const [first, last] = [rects[0] ?? lines[0] ?? box, rects.at(-1) ?? box];
  yield drag([first.left + 1, first.top + first.height / 2], [last.right - 1, last.top + last.height / 2]);
}
function* movie() {
  const [genre, name, year] = [0, 1, 2].map(bold);
  const labels = all('#area *').filter((each) => !each.children.length && text(each));
  for (const [label, value] of [['Genre', genre], ['Director', name], ['Year|Date', year]]) {
    const said = labels.find((each) => new RegExp(label).test(text(each)));
    let row = said;
    while (!one('input[type=text]', row) || all('input[type=text]', row).length > 1) row = row.parentElement;
    yield* write(one('input[type=text]', row), value);
  }
  yield click(all('#area *').find((each) => !each.children.length && ['Submit', 'Search'].includes(text(each) || each.value)));
}
function* social(most) {
  const [action, user] = most === Number.POSITIVE_INFINITY ? [bold(0), bold(1)] : [bold(0), bold(2)];
  const css = { Reply: '.reply', Retweet: '.retweet', Like: '.like', Share: '.share' }[action];
  const mine = all('.media').filter((each) => text(one('.username', each)) === user);
  for (const post of mine.slice(0, most)) yield click(one(css, post));
  yield submit();
}
const dropBefore = (item, before) => {
  const [from, to] = [point(item), point(before)];
  const up = from[1] > to[1];
  return drag(from, [to[0], to[1] + (up ? -6 : 6)], [to[0], to[1] + (up ? -7 : 7)]);
};
function* sort(css, count) {
  const items = all(css);
  const from = items.findIndex((each) => query().startsWith(`Drag ${text(each)} `));
  const rest = query().slice(`Drag ${text(items[from])} `.length);
  const named = { 'to the top.': 0, 'to the bottom.': count - 1, 'down by one position.': from + 1, 'up by one position.': from - 1 };
  const grid = ['top left', 'top center', 'top right', 'center left', 'center', 'center right', 'bottom left', 'bottom center', 'bottom right'];
  const place = grid.indexOf(/^to the (.*)\.$/.exec(rest)?.[1]);
  const moved = { 'up by one.': from - 3, 'down by one.': from + 3, 'left by one.': from - 1, 'right by one.': from + 1 };
  const to = count === 9 ? (place >= 0 ? place : moved[rest]) : (named[rest] ?? Number.parseInt(rest.slice(7), 10) - 1);
  const [start, end] = [point(items[from]), point(items[to])];
  if (count === 9) {
    const ahead = to > from ? 5 : -5;
    yield drag(start, end, [end[0] + ahead, end[1]], [end[0] + ahead, end[1] + 1]);
  } else {
    yield dropBefore(items[from], items[to]);
  }
}
const hex = (colour) => {
  const canvas = document.createElement('canvas').getContext('2d');
  canvas.fillStyle = colour;
  return canvas.fillStyle.slice(1).toUpperCase();
};
function* angle(middle) {
  const [a, corner, b] = all('svg circle').map((each) => point(each));
  const turn = (at) => Math.atan2(at[1] - corner[1], at[0] - corner[0]);
  let [first, second] = [turn(a), turn(b)];
  if (Math.abs(first - second) > Math.PI) second += second < first ? 2 * Math.PI : -2 * Math.PI;
  const way = middle(first, second);
  yield { click: [corner[0] + 40 * Math.cos(way), corner[1] + 40 * Math.sin(way)] };
  yield submit();
}
function* mail() {
  const said = query();
  const by = (name) => all('#main .email-thread').find((each) => text(one('.email-sender', each)) === name);
  // Two names may stand in the task: who wrote, and who is to have it.
  const senders = all('#main .email-sender').map(text).filter((each) => said.includes(each));
  const after = (each) => /(?:by|from|mail of|'s) ?$/.test(said.slice(0, said.indexOf(each))) || said.includes(`${each}'s`);
  const sender = senders.find(after) ?? senders[0];
  const thread = by(sender);
  if (/delete|trash/i.test(said)) return yield click(one('.trash', thread));
  if (/star|important/i.test(said)) return yield click(one('.star', thread));
  yield click(thread, 0.3, 0.3);
  yield* until(() => shown(one('#email')));
  yield pause(150);
  if (!/reply|respond/i.test(said)) {
    yield click(one('.email-forward'));
    yield* until(() => shown(one('#forward')));
    const names = said.replace(`${sender}`, '').match(/(?<!^)\b[A-Z]\w+/g);
    yield* write(one('.forward-sender'), names.at(-1));
    return yield click(one('#send-forward'));
  }
  yield click(one('.email-reply'));
  yield* until(() => shown(one('#reply')));
  yield* write(one('#reply-text'), quoted() ?? bold(1));
  yield click(one('#send-reply'));
}

const alike = {
  'choose-date': ['choose-date-easy', 'choose-date-medium', 'choose-date-nodelay'],
  'click-collapsible': ['click-collapsible-nodelay'],
  'click-collapsible-2': ['click-collapsible-2-nodelay'],
  'click-checkboxes': ['click-checkboxes-large', 'click-checkboxes-transfer'],
  'click-tab-2': ['click-tab-2-easy', 'click-tab-2-medium', 'click-tab-2-hard'],
  'click-pie': ['click-pie-nodelay'],
  'use-autocomplete': ['use-autocomplete-nodelay'],
  'book-flight': ['book-flight-nodelay'],
  'email-inbox': [
    'email-inbox-delete',
    'email-inbox-important',
    'email-inbox-reply',
    'email-inbox-forward',
    'email-inbox-forward-nl',
    'email-inbox-forward-nl-turk',
    'email-inbox-noscroll',
    'email-inbox-star-reply',
  ],
};
for (const [like, names] of Object.entries(alike)) for (const name of names) tasks[name] ??= tasks[like];

// For the runner: which task is this, and what is done next. `null`: the person is done.
globalThis.person = {
  begin: (name) => {
    globalThis.person.acts = tasks[name]?.();
    return Boolean(tasks[name]);
  },
  next: () => {
    const { done, value } = globalThis.person.acts.next();
    return done ? null : (value ?? { wait: 0 });
  },
};
