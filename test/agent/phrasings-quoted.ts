import type { Phrasing } from './phrasings.ts';

const DENTIST = '+call the dentist | high | due 2026-01-09T17:00';
const BANK = '+email the bank | high | due 2026-01-09';
const ALL = '+email the bank | #money | high | due 2026-01-09';

/** Titles in quotes that begin with a verb, with a priority, a date and tags after them in any order. */
export const QUOTED_PHRASINGS: readonly Phrasing[] = [
  ['Add "call the dentist" to my todos for Friday at 5 pm, high priority.', DENTIST],
  ["Add 'call the dentist' to my todos for Friday at 5 pm, high priority", DENTIST],
  ['Add “call the dentist” to my to-do list for Friday at 5 pm – high priority', DENTIST],
  ['Add "call the dentist" to my todos, high priority, for Friday at 5 pm', DENTIST],
  ['Add "call the dentist" to my todos for Friday at 5 pm and high priority', DENTIST],
  ['Add "call the dentist" to my todos for Friday at 5 pm with high priority', DENTIST],
  ['Add "call the dentist" to my todos for Friday at 5 pm high priority', DENTIST],
  ['Add "call the dentist" to my todos; high priority; Friday at 5 pm', DENTIST],
  ['Add "call the dentist" to my todos, urgent, for Friday at 5 pm', DENTIST],
  ['add "call the dentist" friday, 5pm, high priority', DENTIST],
  ['Add "email the bank" to my list for Friday, high priority', BANK],
  ['Add "the dentist" to my todos for Friday, high priority', '+the dentist | high | due 2026-01-09'],
  ['can you add "email the bank" to my todos for friday, high priority?', BANK],
  ['please put "email the bank" onto my to-do list, high priority, by friday', BANK],
  ['remind me to "email the bank" on friday, high priority', BANK],
  ['remind me on friday to "email the bank", high priority', BANK],
  ['I need to "email the bank" on friday, high priority', BANK],
  ['add to my todos: "email the bank", friday, high priority', BANK],
  ['add high priority, "email the bank", friday', BANK],
  ['add "email the bank", friday, high', BANK],
  ['add "email the bank" for friday, tagged money, high priority', ALL],
  ['add "email the bank" for friday, high priority and tagged money', ALL],
  ['add "email the bank", high priority, #money, friday', ALL],
  ['add "email the bank" with tag money and high priority for Friday', ALL],
  ['add a todo "email the bank" for friday, tagged money, high priority', ALL],
  ['Add "email the bank" to my todos, tagged money, high priority, for Friday', ALL],
  ['add email the bank for friday, tagged money, high priority', '+Email the bank | #money | high | due 2026-01-09'],
  ['add "email the bank" for friday, tagged money and home, low priority', '+email the bank | #money | #home | low | due 2026-01-09'],
  ['add "email the bank" for friday, no rush, tagged money', '+email the bank | #money | low | due 2026-01-09'],
  ['add "email the bank" with a note "ask about fees", high priority, friday', `${BANK} | note ask about fees`],
  ['add "email the bank", note: ask about fees', '+email the bank | note ask about fees'],
  [['"email the bank" on friday, high priority', 'yes'], BANK],
  ['add "email the bank" and "call the dentist" for friday, high priority', BANK, '+call the dentist | high | due 2026-01-09'],
  ['add "email the bank" high priority, "call the dentist" low priority', '+email the bank | high', '+call the dentist | low'],
  ['add "email the bank", bananas and tea to my list', '+email the bank', '+Bananas', '+Tea'],
  ['add "email the bank" to my list and tea', '+email the bank', '+Tea'],
  ['add milk tagged shop, eggs and tea', '+Milk | #shop', '+Eggs', '+Tea'],
  ['add milk and eggs, high priority, tomorrow', '+Milk | high | due 2026-01-08', '+Eggs | high | due 2026-01-08'],
  ['add "Hamlet" tickets for friday, high priority', '+Hamlet tickets | high | due 2026-01-09'],
  ['add "email the bank" for friday, purple', '+email the bank | due 2026-01-09'],
];
