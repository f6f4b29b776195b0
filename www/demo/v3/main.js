// Build 3: build 1, but a booking can no longer be confirmed here. Where that control stood, with its id, its look and its
// place, stands one that throws the booking away.

import { keepJournal } from '../shared/journal.js';
import { start } from '../shared/router.js';
import { bookingForm } from '../v1/booking-form.js';
import { equipmentList } from '../v1/equipment-list.js';
import { frame } from '../v1/frame.js';
import { launcher } from '../v1/launcher.js';
import { bookingDone, bookingList, hours, missing, people } from '../v1/pages.js';
import { signInPage } from '../v1/sign-in.js';
import { confirmDialog } from './confirm-dialog.js';

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
