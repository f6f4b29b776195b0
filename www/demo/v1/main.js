// Build 1: the application as it was recorded.

import { keepJournal } from '../shared/journal.js';
import { start } from '../shared/router.js';
import { bookingForm } from './booking-form.js';
import { confirmDialog } from './confirm-dialog.js';
import { equipmentList } from './equipment-list.js';
import { frame } from './frame.js';
import { launcher } from './launcher.js';
import { bookingDone, bookingList, hours, missing, people } from './pages.js';
import { signInPage } from './sign-in.js';

keepJournal();
void start(
  [
    { pattern: /^\/$/, title: 'Sign in', view: signInPage, open: true },
    { pattern: /^\/apps$/, title: 'Applications', view: launcher },
    { pattern: /^\/equipment$/, title: 'Equipment', view: equipmentList },
    { pattern: /^\/equipment\/([^/]+)\/book$/, title: 'Book equipment', view: bookingForm(confirmDialog) },
    { pattern: /^\/bookings$/, title: 'Bookings', view: bookingList },
    { pattern: /^\/bookings\/(\d+)$/, title: 'Booking confirmed', view: bookingDone },
    { pattern: /^\/hours$/, title: 'Opening hours', view: hours },
    { pattern: /^\/people$/, title: 'People', view: people },
    { pattern: /.*/, title: 'Not found', view: missing, open: true },
  ],
  frame,
);
