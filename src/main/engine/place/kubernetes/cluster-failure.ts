import { CodedError } from '../../../../shared/errors'
import { plainLine } from '../remote/plain-text'

/** The cluster doesn't have the requested object; other errors say what to do. */
export class ObjectMissing extends CodedError {
  constructor(message: string) {
    super('place.setup', message)
  }
}

/** A problem that the user or an administrator must fix. */
export function setup(message: string, cause?: unknown): CodedError {
  return new CodedError('place.setup', message, cause === undefined ? {} : { cause })
}

/** The error for a request that got no answer. */
export function unreachable(server: string, error: unknown): CodedError {
  const { code = '', message = String(error) } = (error ?? {}) as { code?: string; message?: string }
  const why = plainLine(message === '' ? code : message, 300)
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return setup(`The certificate of ${server} is not accepted: ${why}. Correct the kubeconfig.`, error)
  return new CodedError('place.unreachable', `The cluster at ${server} does not answer: ${why}.`, { cause: error })
}

interface Refusal {
  status: number
  answer: string
  namespace: string
}

/** The error for a request that the cluster rejected, with the cluster's message and what to do. */
export function refusal({ status, answer, namespace }: Refusal): CodedError {
  const { message, reason } = statusOf(answer)
  const said = plainLine(message ?? answer, 400)
  switch (status) {
    case 401:
      return setup('The cluster did not accept your login. Log in to it again, as with kubectl, and test the place.')
    case 403:
      return setup(
        `The cluster forbids it: ${said}. Ask for the rights to get, create, patch and delete sandboxes ` +
          `and sandboxclaims, to get pods, and to create pods/exec, in the namespace ${namespace}.`,
      )
    case 404:
      if (reason === 'NotFound' && message?.startsWith('namespaces '))
        return setup(`The cluster has no namespace ${namespace}. Create it, or name another with --namespace.`)
      if (reason === 'NotFound' && message !== undefined && !/could not find the requested resource/.test(message))
        return new ObjectMissing(said)
      return setup(
        'The cluster has no agent-sandbox, which defines Sandbox and SandboxClaim (agents.x-k8s.io/v1beta1). ' +
          'Ask an administrator to install it: https://github.com/kubernetes-sigs/agent-sandbox',
      )
    case 400:
    case 409:
    case 422:
      return setup(`The cluster refused it: ${said}`)
    default:
      return new CodedError('place.unreachable', `The cluster answered with ${status}: ${said}`)
  }
}

function statusOf(answer: string): { message?: string; reason?: string } {
  try {
    const { message, reason } = JSON.parse(answer) as { message?: unknown; reason?: unknown }
    return {
      ...(typeof message === 'string' && { message }),
      ...(typeof reason === 'string' && { reason }),
    }
  } catch {
    return {}
  }
}
