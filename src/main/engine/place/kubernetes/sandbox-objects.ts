import type { LaunchOf } from '../../../../shared/model/place/place'
import { plainLine } from '../remote/plain-text'
import type { ClusterObject } from './cluster'

/** Everything that Trestle creates has this label, and nothing without it is ever changed or deleted. */
const MANAGED_BY = 'app.kubernetes.io/managed-by'
const HOME = '/home/trestle'
const CONTAINER = 'trestle'
const WAIT_COMMAND = 'trap "exit 0" TERM INT; while :; do sleep 3600 & wait $!; done'

/** The object of a place in the cluster: its own Sandbox, or a claim that gets one from a pool. */
export interface SandboxKind {
  apiVersion: string
  kind: 'Sandbox' | 'SandboxClaim'
  /** The path of its list in a namespace. */
  list(namespace: string): string
}

export const SANDBOX: SandboxKind = {
  apiVersion: 'agents.x-k8s.io/v1beta1',
  kind: 'Sandbox',
  list: (namespace) => `/apis/agents.x-k8s.io/v1beta1/namespaces/${namespace}/sandboxes`,
}
export const CLAIM: SandboxKind = {
  apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
  kind: 'SandboxClaim',
  list: (namespace) => `/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/${namespace}/sandboxclaims`,
}

/** The object that is created for a place. */
export function sandboxObject(name: string, launch: LaunchOf<'kubernetes'>): ClusterObject {
  const { pool, image, cpus, memory, storage, runtimeClass } = launch
  const labels = { [MANAGED_BY]: 'trestle', 'agents.x-k8s.io/created-by': 'trestle' }
  const metadata = { name, labels }
  if (pool !== undefined)
    return { apiVersion: CLAIM.apiVersion, kind: CLAIM.kind, metadata, spec: { warmPoolRef: { name: pool } } }
  const amounts = {
    ...(cpus !== undefined && { cpu: String(cpus) }),
    ...(memory !== undefined && { memory }),
  }
  const container = {
    name: CONTAINER,
    image,
    command: ['sh', '-c', WAIT_COMMAND],
    ...(Object.keys(amounts).length > 0 && { resources: { requests: amounts, limits: amounts } }),
    ...(storage !== undefined && {
      env: [{ name: 'HOME', value: HOME }],
      volumeMounts: [{ name: 'home', mountPath: HOME }],
    }),
  }
  return {
    apiVersion: SANDBOX.apiVersion,
    kind: SANDBOX.kind,
    metadata,
    spec: {
      operatingMode: 'Running',
      podTemplate: {
        metadata: { labels },
        spec: {
          containers: [container],
          automountServiceAccountToken: false,
          ...(runtimeClass !== undefined && { runtimeClassName: runtimeClass }),
        },
      },
      ...(storage !== undefined && {
        volumeClaimTemplates: [
          {
            metadata: { name: 'home' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
          },
        ],
      }),
    },
  }
}

export function isOurs(object: ClusterObject): boolean {
  return text(at(object, 'metadata', 'labels', MANAGED_BY)) === 'trestle'
}

export function isSuspended(object: ClusterObject): boolean {
  return at(object, 'spec', 'operatingMode') === 'Suspended'
}

/** The pod of a Sandbox, which has the same name unless it came from a pool. */
export function podOf(sandbox: ClusterObject): string {
  return (
    text(at(sandbox, 'metadata', 'annotations', 'agents.x-k8s.io/pod-name')) || text(at(sandbox, 'metadata', 'name'))
  )
}

/** The name of the Sandbox that a claim got; empty until it has one. */
export function sandboxOfClaim(claim: ClusterObject): string {
  return text(at(claim, 'status', 'sandbox', 'name'))
}

export interface Condition {
  isTrue: boolean
  reason: string
  message: string
}

/** A condition set by a controller, in plain text. */
export function conditionOf(object: ClusterObject, type: string): Condition | undefined {
  const list = at(object, 'status', 'conditions')
  const found = Array.isArray(list) ? list.find((one) => at(one, 'type') === type) : undefined
  if (found === undefined) return undefined
  return {
    isTrue: at(found, 'status') === 'True',
    reason: plainLine(text(at(found, 'reason')), 60),
    message: plainLine(text(at(found, 'message')), 300),
  }
}

/** Why the container of a pod isn't running, in the cluster's words. */
export function waitingOf(pod: ClusterObject): { reason: string; message: string } | undefined {
  const list = at(pod, 'status', 'containerStatuses')
  const state = Array.isArray(list) ? list.map((one) => at(one, 'state', 'waiting')).find(Boolean) : undefined
  if (state === undefined) return undefined
  return { reason: plainLine(text(at(state, 'reason')), 60), message: plainLine(text(at(state, 'message')), 300) }
}

export function phaseOfPod(pod: ClusterObject): string {
  return plainLine(text(at(pod, 'status', 'phase')), 40)
}

function at(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Record<string, unknown>)[name]
        : undefined,
    value,
  )
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
