import type { Services } from './service.js';

/** Answers to the calls that ended with a service are on their way for this long. */
const lastAnswersMs = 500;

/** Tells of every change of services; of one that is gone only when the answers to its last calls have left. */
export function onceAnswered(services: Services, listener: (id: string) => void): () => void {
  const timers = new Set<NodeJS.Timeout>();
  const stopListening = services.onChange((id) => {
    if (services.has(id)) return listener(id);
    const timer = setTimeout(() => {
      timers.delete(timer);
      listener(id);
    }, lastAnswersMs);
    timers.add(timer.unref());
  });
  return () => {
    stopListening();
    for (const timer of timers) clearTimeout(timer);
  };
}
