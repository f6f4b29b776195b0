// Words and lists that every build of the application shares.

/** @type {[string, string][]} */
export const DEPARTMENTS = [
  ['', 'Choose a department'],
  ['comms', 'Communications'],
  ['research', 'Research'],
  ['teaching', 'Teaching'],
  ['workshop', 'Workshop'],
];

/** @param {string} value */
export const departmentName = (value) => DEPARTMENTS.find(([key]) => key === value)?.[1] ?? value;

/** @type {{ path: string, name: string, about: string, mark: string }[]} */
export const APPLICATIONS = [
  { path: '/bookings', name: 'Bookings', about: 'What is on loan, and to whom', mark: '▤' },
  { path: '/equipment', name: 'Equipment', about: 'Find and borrow a thing', mark: '◈' },
  { path: '/hours', name: 'Opening hours', about: 'When the desk is staffed', mark: '◷' },
  { path: '/people', name: 'People', about: 'Who to ask', mark: '◉' },
];

/** The two a person used last: "Equipment" here goes on with the search they left. */
export const RECENT = [
  { path: '/equipment?q=tripod', name: 'Equipment', about: 'Go on with “tripod”', mark: '◈' },
  { path: '/people', name: 'People', about: 'Who to ask', mark: '◉' },
];

/** @type {[string, string][]} */
export const HOURS = [
  ['Monday to Thursday', '8:30 to 18:00'],
  ['Friday', '8:30 to 15:00'],
  ['Saturday', '10:00 to 13:00'],
];

/** @type {[string, string, string][]} */
export const PEOPLE = [
  ['Ines Marrow', 'Desk lead', 'extension 210'],
  ['Tomas Vik', 'Cameras and sound', 'extension 214'],
  ['Ruth Abara', 'Tools and safety', 'extension 219'],
];
