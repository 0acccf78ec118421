import { requestName, type Approval } from '../../../shared/model/approval'
import { toolLabel } from '../../../shared/model/tool-label'

/** What a screen reader says when a request comes up: in one sentence, who asks for what. */
export function announcement({ asks, tool, summary }: Pick<Approval, 'asks' | 'tool' | 'summary'>): string {
  switch (asks) {
    case undefined:
      return `Approval needed: ${toolLabel(tool)} ${summary}`
    case 'plan':
      return 'The plan is ready for your review.'
    case 'questions':
      return `The agent asks: ${summary}`
    default:
      return `Your answer is needed. ${requestName({ tool, asks })}: ${summary}`
  }
}
