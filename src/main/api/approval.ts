import type { ApiDeps, Implementer } from './api-deps'

export function approvalHandlers(os: Implementer, { engine: { inbox, sessions } }: ApiDeps) {
  return {
    list: os.approval.list.handler(() => inbox.list()),
    get: os.approval.get.handler(({ input }) => inbox.get(input.sessionId, input.approvalId)),
    choices: os.approval.choices.handler(({ input }) => inbox.choices(input.sessionId, input.approvalId)),
    reply: os.approval.reply.handler(({ input: { sessionId, rule, feedback, comments, answers, values, ...answer } }) =>
      sessions.reply(sessionId, {
        ...answer,
        ...(feedback !== undefined && { feedback }),
        ...(rule && { rule }),
        ...(comments && { comments }),
        ...(values && { values }),
        ...(answers && { answers: answers.map(({ labels, other }) => ({ labels, ...(other !== undefined && { other }) })) }),
      }),
    ),
  }
}
