/** The expected failures of the engine of a home as its clients meet them. Part of `ERRORS`, which says what the fields mean. */
export const ENGINE_ERRORS = {
  'engine.unavailable': {
    title: 'The engine could not be reached',
    retryable: true,
    advice: 'Try again. "trestle engine status" shows whether one runs, and the log has the reason.',
  },
  'engine.version': {
    title: 'The engine is another version of Trestle',
    retryable: false,
    advice: 'Restart it with "trestle engine restart --when-idle", or update the older of the two.',
  },
  'engine.foreign': {
    title: 'This is not the engine of your home',
    retryable: false,
    advice: 'Check who owns the run folder of your Trestle home, and remove what is not yours.',
  },
  'engine.leaving': {
    title: 'The engine is being replaced',
    retryable: true,
    advice: 'Connect again: another engine takes over.',
  },
} as const
