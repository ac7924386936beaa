/** What the audit log says of itself: whether it is as it was written. */
export const en = {
  checking: 'Checking that nothing was altered…',
  intact: 'Unaltered. Checked {when}',
  changed:
    'This log was altered: the entry of {time} is not as it was written. ' +
    'Ask your operator to compare the log with an earlier backup.',
  missing:
    'This log was altered: entries before that of {time} are missing. ' +
    'Ask your operator to compare the log with an earlier backup.',
  mark: 'Altered'
}

/** What every language says. */
export type AuditTexts = typeof en
