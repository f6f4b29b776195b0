// Build 2: the redesign. Same work, other page: wrappers, ids, classes, order of regions, some roles and some names.

import { keepJournal } from '../shared/journal.js';
import { start } from '../shared/router.js';
import { bookingList, hours, missing, people } from '../v1/pages.js';
import { access } from './access.js';
import { confirmSheet } from './confirm-sheet.js';
import { done } from './done.js';
import { home } from './home.js';
import { inventory } from './inventory.js';
import { requestForm } from './request-form.js';
import { shell } from './shell.js';

keepJournal();
void start(
  [
    { pattern: /^\/$/, title: 'Sign in', view: access, open: true },
    { pattern: /^\/apps$/, title: 'Applications', view: home },
    { pattern: /^\/equipment$/, title: 'Equipment', view: inventory },
    { pattern: /^\/equipment\/([^/]+)\/book$/, title: 'Book equipment', view: requestForm(confirmSheet) },
    { pattern: /^\/bookings$/, title: 'Bookings', view: bookingList },
    { pattern: /^\/bookings\/(\d+)$/, title: 'Booking confirmed', view: done },
    { pattern: /^\/hours$/, title: 'Opening hours', view: hours },
    { pattern: /^\/people$/, title: 'People', view: people },
    { pattern: /.*/, title: 'Not found', view: missing, open: true },
  ],
  shell,
);
