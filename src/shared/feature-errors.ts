/**
 * The expected failures of what is optional: memory, alarms, mail, schedules and plugins; and of settings as
 * the user edits them. Part of `ERRORS`, which says
 * what the fields mean.
 */
export const FEATURE_ERRORS = {
  'customize.changed': {
    title: 'It has changed since it was shown',
    retryable: false,
    advice: 'Look at it again, then make your change.',
  },
  'customize.untrusted': {
    title: "The project's settings are not trusted",
    retryable: false,
    advice: 'Review the settings of the project and trust its folder, then change them here.',
  },
  'customize.not_found': {
    title: 'There is no such entry',
    retryable: false,
    advice: 'Refresh the list: it may have been removed or renamed.',
  },
  'customize.taken': {
    title: 'The name is taken',
    retryable: false,
    advice: 'Choose another name, or edit the one that has it.',
  },
  'customize.invalid': {
    title: 'It cannot be saved like this',
    retryable: false,
    advice: 'Correct what is named, then save again.',
  },
  'customize.undo_gone': {
    title: 'This change cannot be undone any more',
    retryable: false,
    advice: 'Make the change again by hand.',
  },
  'customize.not_user': {
    title: 'Only you can change this',
    retryable: false,
    advice: 'Open the settings in a Trestle that you started yourself.',
  },
  'memory.secret': {
    title: 'Not remembered',
    retryable: false,
    advice: 'Secrets are never remembered. Leave the secret out, and say where it is kept instead.',
  },
  'memory.not_found': {
    title: 'Nothing is remembered there',
    retryable: false,
    advice: 'Search for it: it may have another key, or belong to another project.',
  },
  'memory.key_taken': {
    title: 'The key is taken',
    retryable: false,
    advice: 'Choose another key, or change the entry that has this one.',
  },
  'memory.full': {
    title: 'The memory is full',
    retryable: false,
    advice: 'Delete entries that are no longer needed on the Memory page.',
  },
  'alarm.time': {
    title: 'The alarm was not set',
    retryable: false,
    advice: 'Give a later time, such as "18:30", "2026-12-01 09:00", "25m" or "1h30m".',
  },
  'alarm.not_found': {
    title: 'There is no such alarm',
    retryable: false,
    advice: 'trestle alarm list --all shows those there are.',
  },
  'alarm.ended': {
    title: 'The alarm is in another state',
    retryable: false,
    advice: 'Set a new alarm if one is needed.',
  },
  'alarm.full': {
    title: 'There are too many alarms',
    retryable: false,
    advice: 'Cancel alarms that are no longer needed.',
  },
  'mail.account': {
    title: 'The mail account cannot be used',
    retryable: false,
    advice: 'Look at the account in Settings, under Mail, or with trestle mail account list.',
  },
  'mail.sign_in': {
    title: 'The mail server refused the sign-in',
    retryable: false,
    advice: 'Test the account in Settings, under Mail, or with trestle mail account test.',
  },
  'mail.unreachable': {
    title: 'The mail server could not be reached',
    retryable: true,
    advice: 'Test the account in Settings, under Mail, or with trestle mail account test.',
  },
  'mail.certificate': {
    title: 'The certificate of the mail server is not trusted',
    retryable: false,
    advice: 'Test the account in Settings, under Mail, or with trestle mail account test.',
  },
  'mail.not_found': {
    title: 'Not found in the mailbox',
    retryable: false,
    advice: 'Search again: it may have been moved or deleted.',
  },
  'mail.not_user': {
    title: 'Only for people',
    retryable: false,
    advice: 'Use the app, or a terminal of your own. Agents have the mail tools.',
  },
  'mail.rejected': {
    title: 'The mail server rejected it',
    retryable: false,
    advice: 'See what the server says.',
  },
  'schedule.not_found': {
    title: 'There is no such schedule',
    retryable: false,
    advice: 'List the schedules to see their ids; deleted ones can be restored for 30 days.',
  },
  'schedule.time': {
    title: 'The time cannot be used',
    retryable: false,
    advice: 'Use a cron pattern such as "0 9 * * 1-5", a time such as "2026-12-01T09:00", or "every 2 h".',
  },
  'schedule.limit': {
    title: 'There are too many schedules',
    retryable: false,
    advice: 'Delete schedules that are no longer needed.',
  },
  'schedule.running': {
    title: 'It is running already',
    retryable: true,
    advice: 'Wait until the run has ended, or stop its session. Runs of one schedule never overlap.',
  },
  'schedule.mode': {
    title: 'The permission mode is not allowed',
    retryable: false,
    advice: 'A schedule may do no more without asking than the session that creates it. Choose a stricter mode.',
  },
  'plugin.refused': {
    title: 'This plugin can’t be used',
    retryable: false,
    advice: 'Fix the plugin, then add or review it again. See docs/plugins.md.',
  },
  'plugin.not_found': {
    title: 'There is no such plugin',
    retryable: false,
    advice: 'Settings → Plugins and `trestle plugin list` show those that are installed.',
  },
  'plugin.taken': {
    title: 'A plugin with this name is installed',
    retryable: false,
    advice: 'Update or remove it first.',
  },
  'plugin.changed': {
    title: 'This plugin has changed',
    retryable: false,
    advice: 'Review the changes, then decide again.',
  },
  'plugin.source': {
    title: 'The plugin could not be fetched',
    retryable: true,
    advice: 'Check the folder or address, and whether git can reach it from a terminal.',
  },
  'plugin.not_user': {
    title: 'Only you can decide about plugins',
    retryable: false,
    advice: 'Decide in a Trestle that you started yourself, or in a terminal of your own.',
  },
} as const
