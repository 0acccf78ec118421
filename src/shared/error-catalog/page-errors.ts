/**
 * The failures that a page reports without the engine. Part of `ERRORS`, which explains the fields; pages load only
 * these, because all others arrive with their texts.
 */
export const PAGE_ERRORS = {
  'connection.lost': {
    title: 'The connection to Trestle was lost',
    retryable: true,
    advice: 'Trestle reconnects automatically. Check whether it completed, then try again.',
  },
  'connection.refused': {
    title: 'This link has expired',
    retryable: false,
    advice: 'Use the link shown in your terminal, or paste it here.',
  },
  internal: {
    title: 'Something went wrong inside Trestle',
    retryable: false,
    advice: 'Please report it with the log.',
  },
} as const
