/** The expected failures of paired devices. Part of `ERRORS`, which says what the fields mean. */
export const DEVICE_ERRORS = {
  'device.read_only': {
    title: 'This device can only read',
    retryable: false,
    advice: 'Do it on the computer, or pair this device again with full access.',
  },
  'device.not_here': {
    title: 'Only possible on the computer',
    retryable: false,
    advice: 'Open Trestle on the computer it runs on.',
  },
  'device.not_found': {
    title: 'There is no such device',
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
    title: 'There is no usable certificate',
    retryable: false,
    advice: 'Install openssl, or name a certificate of your own with --cert and --key.',
  },
} as const
