import { attacksOnTheNetwork } from './attacks.js';
import { describeAttacks } from './play.js';

describeAttacks(attacksOnTheNetwork);
