/** The expected failures of moving sessions, and of histories. Part of `ERRORS`, which says what the fields mean. */
export const MOVE_ERRORS = {
  'session.sealed': {
    title: 'This session continues at another place',
    retryable: false,
    advice: 'Use it there, or move it back. If it was never received there, cancel the move.',
  },
  'history.changed': {
    title: 'The history was changed',
    retryable: false,
    advice: 'Get the file again from where it comes from. Nothing was imported.',
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
    title: 'This move was received or refused already',
    retryable: false,
    advice: 'List the sessions: it is among them, unless you deleted it or moved it on.',
  },
  'move.conflict': {
    title: 'The session here has a different history',
    retryable: false,
    advice: 'Export one of the two as JSON and import it as a session of its own.',
  },
  'move.files_changed': {
    title: 'Files of the project were changed meanwhile',
    retryable: false,
    advice: 'Commit or move your changes, put the files back, or receive the session into another folder.',
  },
  'move.folder': {
    title: 'The project cannot be put there',
    retryable: false,
    advice: 'Choose an empty folder, or a clone of the same project without uncommitted changes.',
  },
} as const
