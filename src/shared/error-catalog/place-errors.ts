/**
 * The expected failures of places: other machines, containers and jobs. Part of `ERRORS`, which explains the fields.
 */
export const PLACE_ERRORS = {
  'place.unreachable': {
    title: 'The place cannot be reached',
    retryable: true,
    advice: 'Check that the machine is on and the network works; trestle place test shows each step.',
  },
  'place.refused': {
    title: 'The place refused the login',
    retryable: false,
    advice:
      'Connect from Settings, under Places, ' +
      'or with trestle place test in a terminal, where you can answer what ssh asks.',
  },
  'place.host_key': {
    title: 'The host key is not accepted',
    retryable: false,
    advice: 'Make sure that it is the right machine before you accept its key.',
  },
  'place.unsupported': {
    title: 'Trestle does not run on this machine',
    retryable: false,
    advice: 'Install Trestle there, then add the place with --program and the path of its trestle command.',
  },
  'place.no_space': {
    title: 'The place has no disk space left',
    retryable: true,
    advice: 'Free some space in the home folder there, or remove old versions in ~/.trestle-server.',
  },
  'place.copy_failed': {
    title: 'Trestle could not be copied to the place',
    retryable: true,
    advice: 'Try again: the copy continues where it stopped.',
  },
  'place.start_failed': {
    title: 'Trestle did not start on the place',
    retryable: true,
    advice: 'See the output of the place, and run trestle place test.',
  },
  'place.version': {
    title: 'The versions are not compatible',
    retryable: false,
    advice: 'Update the older of the two; trestle place update copies this version to the place.',
  },
  'place.misbehaved': {
    title: 'The place sent something unexpected',
    retryable: false,
    advice: 'Check who controls that machine, and that Trestle there is unchanged, before you connect again.',
  },
  'place.waiting': {
    title: 'The job is waiting',
    retryable: true,
    advice: 'The scheduler starts it when it can; the session connects then.',
  },
  'place.job_ended': {
    title: 'The job has ended',
    retryable: false,
    advice: 'Connect again from Settings, under Places, which submits a new job; what was recorded is still there.',
  },
  'place.stopped': {
    title: 'The place is stopped',
    retryable: false,
    advice: 'Connect it from Settings, under Places, or with trestle place test, which starts it.',
  },
  'place.setup': {
    title: 'The place is not set up',
    retryable: false,
    advice: 'Fix the problem described, then connect again from Settings, under Places, or with trestle place test.',
  },
  'place.not_found': {
    title: 'Place not found',
    retryable: false,
    advice: 'See all places with: trestle place list.',
  },
  'place.taken': {
    title: 'The name is taken',
    retryable: false,
    advice: 'Choose another name with --name.',
  },
} as const
