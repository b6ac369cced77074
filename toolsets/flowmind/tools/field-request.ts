import { answerRequest } from '../discovery/answer/answer.ts';
import { fieldRequestInput, fieldRequestResult } from '../discovery/answer/request.ts';
import { tool } from '../tool.ts';

export const fieldRequest = tool({
  name: 'field_request',
  description: `Universal context discovery for workflows, agents, patterns, and tools. Use this when you need to find appropriate contexts based on user needs. The system will match based on semantic similarity and variables.
Domain technical needs technology, urgency critical or emergency needs domain, confidence_level above 0.9 needs three variables.`,
  said: [
    'what can help me with this',
    'find the right workflow for my request',
    'I need something for this situation',
    'which tool should I use for that',
  ],
  access: 'read',
  annotations: { title: 'Find a context', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: fieldRequestInput,
  output: fieldRequestResult,
  limits: { perMinute: 60, burst: 10, progressiveBackoff: true },

  run(input, { id, services, user, signal }) {
    return answerRequest(input, {
      discovery: services.discovery,
      teacher: services.teacher,
      user,
      roots: [services.workspace],
      refusedParameters: services.refusedParameters,
      searched: (ms) => services.stopwatch.add(id, 'search', ms),
      signal,
    });
  },
});
