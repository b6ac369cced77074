import type { Candidate } from './discovery.ts';
import type { FieldRequest, FieldRequestResult, Match } from './request.ts';

type Guidance = FieldRequestResult['guidance'];
type Status = FieldRequestResult['status'];

const UNIVERSAL = ['domain', 'urgency', 'complexity', 'user_sentiment'];
const USUAL_QUERY = 'Checkout system throwing 500 errors on payment processing';

export interface GuidanceFacts {
  status: Status;
  request: FieldRequest;
  matches: readonly Match[];
  candidates: readonly Candidate[];
}

/** What to do with this reply, and what would have made it better. */
export function guidanceFor({ status, request, matches, candidates }: GuidanceFacts): Guidance {
  const [first] = matches;
  const context = candidates.find((candidate) => candidate.context.uri === first?.uri)?.context;
  const given = Object.keys(request.extracted_variables ?? {});
  const helpful = [
    ...(first?.variables.missing ?? []),
    ...UNIVERSAL.slice(0, 2).filter((name) => !given.includes(name)),
    ...(first?.variables.optional ?? []).filter((name) => !given.includes(name)),
  ];
  return {
    message: messageFor(status, first),
    suggestions: suggestionsFor(status, first, context),
    teaching: {
      insight: insightFor(status, first, given),
      better_query_example: context?.examples[0] ?? candidates[0]?.context.examples[0] ?? USUAL_QUERY,
      variables_that_would_help: [...new Set(helpful)].slice(0, 5),
    },
  };
}

function messageFor(status: Status, first: Match | undefined): string {
  switch (status) {
    case 'success':
      return first?.activation.can_execute
        ? `"${first.name}" fits and can be run: send next_action as it stands`
        : `"${first?.name}" fits. Before it can run: ${(first?.activation.reasons ?? []).join('; ')}`;
    case 'disambiguation_needed':
      return 'Several contexts fit about equally well: ask the user one of the questions in disambiguation, then call again with the answer as a variable';
    case 'refinement_suggested':
      return `"${first?.name}" may be meant, but the match is too weak to run it: say more about what is needed`;
    case 'content_processing_required':
      return 'The large content has to be summarised or saved where it can be read before a context can be chosen';
    case 'no_matches':
      return 'No context fits this request: answer it yourself, or describe the task behind it';
  }
}

function suggestionsFor(status: Status, first: Match | undefined, context: Candidate['context'] | undefined): string[] {
  switch (status) {
    case 'content_processing_required':
      return [
        'Put a summary of at most 1000 characters into content_reference.content_summary',
        'Or save the content below the workspace and give its path in content_reference.content_file_path',
        'List the names that matter in content_reference.key_entities',
      ];
    case 'no_matches':
      return [
        'Say what should come out of it, not only the topic',
        'Look through list_available_contexts for what there is',
        'Add domain to extracted_variables',
      ];
    default:
      return [
        ...questionsToAsk(first, context),
        ...(status === 'refinement_suggested' ? ['Say in the query what happened, to what, and what should come out of it'] : []),
      ];
  }
}

function questionsToAsk(first: Match | undefined, context: Candidate['context'] | undefined): string[] {
  return (first?.variables.missing ?? []).slice(0, 3).map((name) => {
    const spec = context?.variables[name];
    const about = spec?.description?.replace(/[.?!]+$/, '') ?? name.replaceAll('_', ' ');
    return spec?.values ? `Ask user: "${about}?" (one of ${spec.values.join(', ')})` : `Ask user: "${about}?"`;
  });
}

function insightFor(status: Status, first: Match | undefined, given: readonly string[]): string {
  if (status === 'no_matches') return 'A request that fits no context is said to fit none: nothing is offered for want of something better';
  if (first && first.variables.missing.length > 0)
    return `"${first.name}" runs as soon as ${first.variables.missing.join(' and ')} ${first.variables.missing.length === 1 ? 'is' : 'are'} given`;
  if (given.length === 0) return 'Variables put the right context first when several are close; domain helps most';
  if (!given.includes('domain')) return 'With domain given, contexts of that domain come first';
  return 'The query and the variables together decide: keep both specific';
}
