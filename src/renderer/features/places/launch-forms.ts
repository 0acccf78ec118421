import { placeLaunch } from '../../../shared/contract/place'
import { launchNote, type PlaceLaunch } from '../../../shared/model/place'

/** The kinds of places that can be added, as the form names them. */
export type PlaceKind = 'ssh' | 'slurm' | 'docker' | 'podman' | 'image' | 'devcontainer' | 'kubernetes'

/** A text field of the form. */
export interface LaunchField {
  /** The field of the launch that it sets. */
  name: string
  label: string
  placeholder?: string
  hint?: string
  /** What is wrong with a value that cannot be used. */
  rule?: string
  /** The value is a number. */
  isNumber?: true
}

export interface LaunchForm {
  title: string
  /** The first one names the place, where it has no name of its own yet. */
  fields: readonly LaunchField[]
  /** Fields beyond what most people need. */
  more?: readonly LaunchField[]
  /** Whether it can have a container for each session. */
  perSession?: true
  note?: string
}

const CORES: LaunchField = { name: 'cpus', label: 'Cores', isNumber: true, rule: 'A number, such as 8.' }
const CONTAINER: LaunchForm = {
  title: '',
  fields: [
    { name: 'container', label: 'Container', placeholder: 'my-container', hint: 'The name of a running container.' },
  ],
}
const KUBERNETES_NOTE = launchNote({ kind: 'kubernetes' })

/** What the form asks for, by kind. */
export const LAUNCH_FORMS: Record<PlaceKind, LaunchForm> = {
  ssh: {
    title: 'A machine over ssh',
    fields: [
      {
        name: 'host',
        label: 'Host',
        placeholder: 'build-box or ada@build.example',
        hint: 'As you give it to ssh. Your ssh configuration, agent and jump hosts apply.',
        rule: 'One word, as you give it to ssh.',
      },
    ],
    more: [{ name: 'port', label: 'Port', isNumber: true, placeholder: '22', rule: 'A number from 1 to 65535.' }],
  },
  slurm: {
    title: 'A Slurm cluster',
    fields: [
      {
        name: 'host',
        label: 'Login host',
        placeholder: 'login.cluster',
        hint: 'Where sbatch and srun are; empty: this machine.',
        rule: 'One word, as you give it to ssh.',
      },
      { name: 'partition', label: 'Partition', placeholder: 'gpu', rule: 'One word.' },
      { name: 'time', label: 'Time limit', placeholder: '8:00:00', rule: 'As Slurm writes it, such as 8:00:00.' },
      CORES,
      { name: 'memory', label: 'Memory', placeholder: '32G', rule: 'An amount such as 32G.' },
    ],
    more: [{ name: 'account', label: 'Account', rule: 'One word.' }],
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
        rule: 'The name of an image, without spaces.',
      },
      {
        name: 'mount',
        label: 'Folder',
        placeholder: '/home/ada/code/shop',
        hint: 'Of this machine, mounted at the same path; empty: none.',
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
        hint: 'A folder of this machine with .devcontainer/devcontainer.json.',
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
        rule: 'The name of an image, without spaces.',
      },
      { name: 'context', label: 'Context', hint: 'Of your kubeconfig; empty: the current one.' },
      { name: 'namespace', label: 'Namespace', rule: 'Lowercase letters, digits and dashes.' },
      CORES,
      { name: 'memory', label: 'Memory', placeholder: '16Gi', rule: 'An amount such as 16Gi.' },
      {
        name: 'storage',
        label: 'Storage',
        placeholder: '20Gi',
        hint: 'A volume for its home folder, so that it can be suspended.',
        rule: 'An amount such as 20Gi.',
      },
    ],
    more: [
      {
        name: 'pool',
        label: 'Pool',
        hint: 'A SandboxWarmPool, instead of an image.',
        rule: 'Lowercase letters, digits and dashes.',
      },
      { name: 'runtimeClass', label: 'Runtime class', placeholder: 'gvisor', rule: 'Lowercase letters and dashes.' },
      { name: 'configFile', label: 'Kubeconfig', placeholder: '/path/to/kubeconfig' },
    ],
    perSession: true,
    ...(KUBERNETES_NOTE !== undefined && { note: KUBERNETES_NOTE }),
  },
}

export interface LaunchRead {
  launch?: PlaceLaunch
  /** What is wrong, by field. */
  errors: Record<string, string>
  /** What is wrong with the fields together. */
  error?: string
}

/** The launch that was filled in, or what is wrong with it. */
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
  for (const { name, isNumber } of fields) {
    const text = (texts[name] ?? '').trim()
    if (text !== '') values[name] = isNumber ? Number(text) : text
  }
  if (form.perSession && perSession) values['perSession'] = true
  const parsed = placeLaunch.safeParse(values)
  if (parsed.success) return { launch: parsed.data, errors: {} }
  const errors: Record<string, string> = {}
  let error: string | undefined
  for (const { path, code, message } of parsed.error.issues) {
    const field = fields.find(({ name }) => name === path[0])
    if (!field) error ??= code === 'custom' ? message : undefined
    // An empty field is not wrong yet.
    else if (values[field.name] !== undefined) errors[field.name] = field.rule ?? 'This cannot be used.'
  }
  return { errors, ...(error !== undefined && { error }) }
}

/** What a place is called unless the user says otherwise. */
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
