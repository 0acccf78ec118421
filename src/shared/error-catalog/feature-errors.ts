/**
 * The expected failures of optional features (memory, alarms, mail, schedules and plugins) and of editing settings.
 * Part of `ERRORS`, which explains the fields.
 */
export const FEATURE_ERRORS = {
  'customize.changed': {
    title: 'This has changed since it was loaded',
    retryable: false,
    advice: 'Check it again, then make your change.',
  },
  'customize.untrusted': {
    title: "The project's settings are not trusted",
    retryable: false,
    advice: 'Review the settings of the project and trust its folder, then change them here.',
  },
  'customize.not_found': {
    title: 'Entry not found',
    retryable: false,
    advice: 'Refresh the list: it may have been removed or renamed.',
  },
  'customize.taken': {
    title: 'The name is taken',
    retryable: false,
    advice: 'Choose another name, or edit the one that has it.',
  },
  'customize.invalid': {
    title: 'This cannot be saved',
    retryable: false,
    advice: 'Fix the problem described, then save again.',
  },
  'customize.undo_gone': {
    title: 'This change can no longer be undone',
    retryable: false,
    advice: 'Make the change again by hand.',
  },
  'customize.not_user': {
    title: 'Only you can change this',
    retryable: false,
    advice: 'Open Settings in the app you started yourself.',
  },
  'memory.secret': {
    title: 'Not saved to memory',
    retryable: false,
    advice: 'Secrets are never remembered. Leave the secret out, and say where it is kept instead.',
  },
  'memory.not_found': {
    title: 'Memory entry not found',
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
    title: 'Alarm not found',
    retryable: false,
    advice: 'See all alarms with: trestle alarm list --all.',
  },
  'alarm.ended': {
    title: 'The alarm is in another state',
    retryable: false,
    advice: 'Set a new alarm if one is needed.',
  },
  'alarm.full': {
    title: 'Too many alarms',
    retryable: false,
    advice: 'Cancel alarms that are no longer needed.',
  },
  'mail.account': {
    title: 'The mail account cannot be used',
    retryable: false,
    advice: 'Check the account in Settings, under Mail, or with trestle mail account list.',
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
    title: 'Only you can do this',
    retryable: false,
    advice: 'Use the app or your own terminal. Agents have the mail tools.',
  },
  'mail.rejected': {
    title: 'The mail server rejected it',
    retryable: false,
    advice: "Check the server's message.",
  },
  'schedule.not_found': {
    title: 'Schedule not found',
    retryable: false,
    advice: 'List the schedules to see their ids; deleted ones can be restored for 30 days.',
  },
  'schedule.time': {
    title: 'The time is not valid',
    retryable: false,
    advice: 'Use a cron pattern such as "0 9 * * 1-5", a time such as "2026-12-01T09:00", or "every 2 h".',
  },
  'schedule.damaged': {
    title: 'This schedule cannot be read',
    retryable: false,
    advice: 'Its name and its runs are kept.',
  },
  'schedule.limit': {
    title: 'Too many schedules',
    retryable: false,
    advice: 'Delete schedules that are no longer needed.',
  },
  'schedule.running': {
    title: 'This schedule is already running',
    retryable: true,
    advice: 'Wait until the run has ended, or stop its session. Runs of one schedule never overlap.',
  },
  'schedule.mode': {
    title: 'The permission mode is not allowed',
    retryable: false,
    advice: 'A schedule cannot do more without asking than the session that creates it. Choose a stricter mode.',
  },
  'plugin.refused': {
    title: 'This plugin cannot be used',
    retryable: false,
    advice: 'Fix the plugin, then add or review it again. See docs/plugins.md.',
  },
  'plugin.not_found': {
    title: 'Plugin not found',
    retryable: false,
    advice: 'Settings → Plugins and `trestle plugin list` list the installed plugins.',
  },
  'plugin.taken': {
    title: 'A plugin with this name is already installed',
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
    advice: 'Decide in the app, or in a terminal you opened yourself.',
  },
} as const

/** The expected failures of paired devices. Part of `ERRORS`, which explains the fields. */
export const DEVICE_ERRORS = {
  'device.read_only': {
    title: 'This device can only read',
    retryable: false,
    advice: 'Do it on the computer, or pair this device again with full access.',
  },
  'device.not_here': {
    title: 'Only available on the computer',
    retryable: false,
    advice: 'Open Trestle on the computer it runs on.',
  },
  'device.not_found': {
    title: 'Device not found',
    retryable: false,
    advice: 'Refresh the list: it may have been revoked already.',
  },
  'device.code': {
    title: 'The code is not valid',
    retryable: false,
    advice: 'Check the code, or make a new one on the computer: a code works once, for 10 minutes.',
  },
  'device.too_many': {
    title: 'Too many attempts',
    retryable: true,
    advice: 'Wait a minute, then try again.',
  },
  'device.limit': {
    title: 'Too many devices are paired',
    retryable: false,
    advice: 'Revoke devices you no longer use in Settings, Devices.',
  },
  'device.certificate': {
    title: 'No usable certificate',
    retryable: false,
    advice: 'Install openssl, or name a certificate of your own with --cert and --key.',
  },
} as const

/** The expected failures of a home's engine that its clients see. Part of `ERRORS`, which explains the fields. */
export const ENGINE_ERRORS = {
  'engine.unavailable': {
    title: 'The engine could not be reached',
    retryable: true,
    advice: 'Try again. "trestle engine status" shows whether it is running; the log has the reason.',
  },
  'engine.version': {
    title: 'The engine runs a different version of Trestle',
    retryable: false,
    advice: 'Restart it with "trestle engine restart --when-idle", or update the older of the two.',
  },
  'engine.foreign': {
    title: "This engine doesn't belong to your Trestle home",
    retryable: false,
    advice: 'Check who owns the run folder of your Trestle home, and remove what is not yours.',
  },
  'engine.leaving': {
    title: 'The engine is being replaced',
    retryable: true,
    advice: 'Reconnect: a new engine is taking over.',
  },
} as const

/** The expected failures of moving sessions, and of histories. Part of `ERRORS`, which explains the fields. */
export const MOVE_ERRORS = {
  'session.sealed': {
    title: 'This session continues at another place',
    retryable: false,
    advice: 'Use it there, or move it back. If it was never received there, cancel the move.',
  },
  'history.changed': {
    title: 'The history was changed',
    retryable: false,
    advice: 'Get the file again from its source. Nothing was imported.',
  },
  'move.unfinished': {
    title: 'The move is not finished',
    retryable: false,
    advice: 'Move the session to the same place again once it is connected: nothing is received twice.',
  },
  'move.damaged': {
    title: 'The file is damaged or was changed',
    retryable: false,
    advice: 'Copy it again from where it was written, or write it again there. Nothing was imported.',
  },
  'move.elsewhere': {
    title: 'The session was sealed for another home',
    retryable: false,
    advice: 'Receive it there, or cancel the move and seal it for this home.',
  },
  'move.repeated': {
    title: 'This move was already received or refused',
    retryable: false,
    advice: 'Check the session list: the session is there unless you deleted it or moved it again.',
  },
  'move.conflict': {
    title: 'The session here has a different history',
    retryable: false,
    advice: 'Export one of the two as JSON and import it as a session of its own.',
  },
  'move.files_changed': {
    title: 'Project files changed in the meantime',
    retryable: false,
    advice: 'Commit or move your changes, put the files back, or receive the session into another folder.',
  },
  'move.folder': {
    title: 'The project cannot be placed there',
    retryable: false,
    advice: 'Choose an empty folder, or a clone of the same project without uncommitted changes.',
  },
} as const
