import { launchNote, type PlaceLaunch } from '../../../shared/model/place/place'

/** The kinds of places that can be added, as the form names them. */
export type PlaceKind = 'ssh' | 'slurm' | 'docker' | 'podman' | 'image' | 'devcontainer' | 'kubernetes'

/** A text field of the form. */
export interface LaunchField {
  /** The field of the launch that it sets. */
  name: string
  label: string
  placeholder?: string
  hint?: string
  /** Pattern for valid values; default: any. The engine checks the value again. */
  pattern?: RegExp
  /** Error for a value that does not match. */
  rule?: string
  /** The value is a number. */
  isNumber?: true
}

export interface LaunchForm {
  title: string
  /** The first one names the place, unless the user named it. */
  fields: readonly LaunchField[]
  /** Fields beyond what most people need. */
  more?: readonly LaunchField[]
  /** Whether it can have a container for each session. */
  perSession?: true
  note?: string
}

const WORD = /^(?!-)\S+$/
const LABEL = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/
const FOLDER = /^(?:\/|[A-Za-z]:[\\/])[^,:]*$/
const QUANTITY = /^[1-9]\d{0,9}(?:[kMGTP]|[KMGTP]i)?$/
const NUMBER = /^[1-9]\d{0,4}$/

const CORES: LaunchField = {
  name: 'cpus',
  label: 'Cores',
  isNumber: true,
  pattern: NUMBER,
  rule: 'A number, such as 8.',
}
const CONTAINER: LaunchForm = {
  title: '',
  fields: [
    { name: 'container', label: 'Container', placeholder: 'my-container', hint: 'The name of a running container.' },
  ],
}
const KUBERNETES_NOTE = launchNote({ kind: 'kubernetes' })

/** The fields of the form, by kind. */
export const LAUNCH_FORMS: Record<PlaceKind, LaunchForm> = {
  ssh: {
    title: 'A machine over ssh',
    fields: [
      {
        name: 'host',
        label: 'Host',
        placeholder: 'build-box or ada@build.example',
        hint: 'As you would type it for ssh. Your ssh configuration, agent and jump hosts apply.',
        pattern: WORD,
        rule: 'Enter one word, as you would type it for ssh.',
      },
    ],
    more: [
      {
        name: 'port',
        label: 'Port',
        isNumber: true,
        placeholder: '22',
        pattern: NUMBER,
        rule: 'A number from 1 to 65535.',
      },
    ],
  },
  slurm: {
    title: 'A Slurm cluster',
    fields: [
      {
        name: 'host',
        label: 'Login host',
        placeholder: 'login.cluster',
        hint: 'Where sbatch and srun run. Default: this machine.',
        pattern: WORD,
        rule: 'Enter one word, as you would type it for ssh.',
      },
      { name: 'partition', label: 'Partition', placeholder: 'gpu', pattern: WORD, rule: 'One word.' },
      {
        name: 'time',
        label: 'Time limit',
        placeholder: '8:00:00',
        pattern: /^[\d:-]{1,20}$/,
        rule: 'In Slurm’s format, such as 8:00:00.',
      },
      CORES,
      {
        name: 'memory',
        label: 'Memory',
        placeholder: '32G',
        pattern: /^\d{1,9}[KMGT]?$/,
        rule: 'An amount such as 32G.',
      },
    ],
    more: [{ name: 'account', label: 'Account', pattern: WORD, rule: 'One word.' }],
  },
  docker: { ...CONTAINER, title: 'A running Docker container' },
  podman: { ...CONTAINER, title: 'A running Podman container' },
  image: {
    title: 'A new Docker container',
    fields: [
      {
        name: 'image',
        label: 'Image',
        placeholder: 'node:24',
        hint: 'With sh and tar, and a C library like that of this machine.',
        pattern: WORD,
        rule: 'The name of an image, without spaces.',
      },
      {
        name: 'mount',
        label: 'Folder',
        placeholder: '/home/ada/code/shop',
        hint: 'A folder on this machine, mounted at the same path. Optional.',
        pattern: FOLDER,
        rule: 'An absolute path without commas and colons.',
      },
    ],
    perSession: true,
  },
  devcontainer: {
    title: 'A dev container',
    fields: [
      {
        name: 'folder',
        label: 'Project',
        placeholder: '/home/ada/code/shop',
        hint: 'A folder on this machine with .devcontainer/devcontainer.json.',
        pattern: FOLDER,
        rule: 'An absolute path without commas and colons.',
      },
    ],
    more: [{ name: 'configFile', label: 'Another devcontainer.json', placeholder: '/path/to/devcontainer.json' }],
    perSession: true,
  },
  kubernetes: {
    title: 'A Kubernetes cluster',
    fields: [
      {
        name: 'image',
        label: 'Image',
        placeholder: 'node:24',
        hint: 'What a Sandbox runs. Leave it empty to take one from a pool.',
        pattern: WORD,
        rule: 'The name of an image, without spaces.',
      },
      { name: 'context', label: 'Context', hint: 'From your kubeconfig. Default: the current one.' },
      { name: 'namespace', label: 'Namespace', pattern: LABEL, rule: 'Lowercase letters, digits and dashes.' },
      CORES,
      { name: 'memory', label: 'Memory', placeholder: '16Gi', pattern: QUANTITY, rule: 'An amount such as 16Gi.' },
      {
        name: 'storage',
        label: 'Storage',
        placeholder: '20Gi',
        hint: 'A volume for its home folder, so that it can be suspended.',
        pattern: QUANTITY,
        rule: 'An amount such as 20Gi.',
      },
    ],
    more: [
      {
        name: 'pool',
        label: 'Pool',
        hint: 'A SandboxWarmPool, instead of an image.',
        pattern: LABEL,
        rule: 'Lowercase letters, digits and dashes.',
      },
      {
        name: 'runtimeClass',
        label: 'Runtime class',
        placeholder: 'gvisor',
        pattern: LABEL,
        rule: 'Lowercase letters and dashes.',
      },
      { name: 'configFile', label: 'Kubeconfig', placeholder: '/path/to/kubeconfig' },
    ],
    perSession: true,
    ...(KUBERNETES_NOTE !== undefined && { note: KUBERNETES_NOTE }),
  },
}

export interface LaunchRead {
  launch?: PlaceLaunch
  /** Errors by field. */
  errors: Record<string, string>
  /** Error in the combination of fields. */
  error?: string
}

/** The launch from the form, or its errors. */
export function readLaunchForm(
  kind: PlaceKind,
  texts: Readonly<Record<string, string>>,
  perSession: boolean,
): LaunchRead {
  const form = LAUNCH_FORMS[kind]
  const fields = [...form.fields, ...(form.more ?? [])]
  const values: Record<string, unknown> =
    kind === 'docker' || kind === 'podman'
      ? { kind: 'container', program: kind }
      : kind === 'image'
        ? { kind: 'container', program: 'docker' }
        : { kind }
  const errors: Record<string, string> = {}
  for (const { name, isNumber, pattern, rule = 'This value cannot be used.' } of fields) {
    const text = (texts[name] ?? '').trim()
    if (text === '') continue
    if (pattern?.test(text) === false) errors[name] = rule
    values[name] = isNumber ? Number(text) : text
  }
  if (form.perSession && perSession) values['perSession'] = true
  const error = wrongTogether(kind, values)
  const isWhole = error === undefined && Object.keys(errors).length === 0 && hasNeeded(kind, values)
  return { errors, ...(error !== undefined && { error }), ...(isWhole && { launch: values as unknown as PlaceLaunch }) }
}

/** Error in a combination of fields that are valid separately. */
function wrongTogether(kind: PlaceKind, values: Readonly<Record<string, unknown>>): string | undefined {
  if (kind !== 'kubernetes') return undefined
  const has = (name: string): boolean => values[name] !== undefined
  if (has('image') === has('pool')) return 'Name either an image or a pool.'
  return has('pool') && ['cpus', 'memory', 'storage', 'runtimeClass'].some(has)
    ? 'Cores, memory, storage and runtime class are those of the pool.'
    : undefined
}

/** Whether the field that names the place is filled in; a Slurm cluster can be that of this machine. */
function hasNeeded(kind: PlaceKind, values: Readonly<Record<string, unknown>>): boolean {
  const [first] = LAUNCH_FORMS[kind].fields
  return kind === 'slurm' || kind === 'kubernetes' || (first !== undefined && values[first.name] !== undefined)
}

/** The suggested name of a place. */
export function suggestedName(kind: PlaceKind, texts: Readonly<Record<string, string>>): string {
  const first = LAUNCH_FORMS[kind].fields[0]?.name ?? ''
  const text = (texts[first] ?? '').trim() || (texts['pool'] ?? '').trim()
  switch (kind) {
    case 'devcontainer':
      return (
        text
          .replace(/[/\\]+$/, '')
          .split(/[/\\]/)
          .at(-1) ?? ''
      )
    case 'image':
    case 'kubernetes':
      return text.split('/').at(-1)?.split(/[:@]/)[0] ?? ''
    default:
      return text === '' && kind === 'slurm' ? kind : text.replace(/^[^@]*@/, '')
  }
}
