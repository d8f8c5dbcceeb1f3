#!/usr/bin/env python3
# Units must not matter: the same task in other units of mass, length and time has the same status, and the same
# objective and gains after conversion; between units that differ by powers of two the same bits. A robot that needs
# force is not moved without.
#
#   units.py DMOC SOURCE some|every          (of the systems of units, for each task)
import collections
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

DMOC, HOW_MANY = os.path.abspath(sys.argv[1]), sys.argv[3]

# factors of mass, length, time: what 1 kg, 1 m, 1 s become
SI = (1, 1, 1)
DECIMAL = [(1e-9, 1e-3, 0.1), (1e6, 1e2, 10), (1e3, 1e-4, 1e-3), (1e9, 1e3, 100), (1e-3, 1, 1), (1, 1e-3, 1),
           (1, 1, 1e-2), (1e-6, 1e1, 1), (1e5, 1e1, 3), (1e-9, 1, 1), (1e2, 1e-2, 1e-1), (7, 0.3, 1.7)]
BINARY = [(4, 1, 1), (2.0**-20, 2.0**7, 2.0**-3), (2.0**12, 2.0**-5, 1), (2.0**10, 2.0**10, 2.0**10)]


def systems_of(i):
    """The systems of the task with this number: all, or one of each kind, so that the tasks together have them all."""
    if HOW_MANY == 'every':
        return DECIMAL + BINARY
    return [DECIMAL[i % len(DECIMAL)], BINARY[i % len(BINARY)]]


class Units:
    """Numbers of SI in these units."""

    def __init__(self, m, l, t):
        self.m, self.l, self.t = m, l, t
        self.inertia = m * l * l
        self.force = m * l / t**2
        self.torque = m * l * l / t**2
        self.v = l / t
        self.g = l / t**2
        self.stiff = m / t**2


# the unit of a coordinate, and of its momentum
def of_q(u, slides):
    return u.l if slides else 1.0


def of_p(u, slides):
    return u.m * u.l / u.t if slides else u.inertia / u.t


def of_input(u, slides):
    return u.force if slides else u.torque


def list_of(*numbers):
    return '[' + ', '.join(repr(float(x)) for x in numbers) + ']'


def bob(u, mass, *at):
    return f'mass: {mass * u.m!r}, centre: {list_of(*(x * u.l for x in at))}'


def tail(u, q=1.0, r=1.0):
    return f'feedback: {{Q: {{q: {q!r}, p: 0}}, R: {r!r}, Qf: {{q: {q!r}, p: 0}}}}\n'


def steady(u, slides, inputs, final='riccati'):
    """Weights of positions and momenta of joints {name: slides}, and the terminal weight that is P there."""
    q = ', '.join(f'{name}: {of_q(u, s)**-2!r}' for name, s in slides.items())
    p = ', '.join(f'{name}: {0.5 * of_p(u, s)**-2!r}' for name, s in slides.items())
    r = ', '.join(f'{name}: {of_input(u, slides[name])**-2!r}' for name in inputs)
    return f'feedback: {{Q: {{q: {{{q}}}, p: {{{p}}}}}, R: {{{r}}}' + (f', Qf: {final}' if final else '') + '}\n'


def cart(u, limits='', time='2', cost=None, more='', between='none', steps=60):
    """A pole on a cart; the cart's force is the input."""
    cost = cost or f'{{input: {1 / (u.force**2 * u.t)!r}}}'
    return f'''model:
  gravity: {list_of(0, 0, -9.81 * u.g)}
  bodies:
    - {{name: cart, joints: [{{name: x, type: tx{limits}}}], mass: {1.0 * u.m!r}}}
    - {{name: bob, parent: cart, joints: [{{name: pole, type: ry}}], {bob(u, 0.3, 0, 0, -0.5)}}}
inputs: [{{joint: x, effort: {20 * u.force!r}}}]
horizon: {{steps: {steps}, time: {time}, gap: none, between: {between}}}
start: {{q: 0, v: 0}}
goal: {{q: {{x: {1.0 * u.l!r}, pole: pi}}, v: 0}}
cost: {cost}
''' + steady(u, CART, ['x']) + more


CART = {'x': True, 'pole': False}
LINKS = {'shoulder': False, 'elbow': False}
SPRING = {'a': True, 'b': True}
FOUR_BAR = {'crank': False, 'coupler': False, 'rocker': False}
PENDULUM = {'pivot': False}


def swing_up(u):
    return cart(u, time=repr(2.0 * u.t))


def speed_limit(u):
    return cart(u, f', velocity: {2.5 * u.v!r}, limits: {list_of(-2 * u.l, 2 * u.l)}', repr(2.0 * u.t))


def minimum_time(u):
    time = f'{{free: {list_of(0.5 * u.t, 5 * u.t)}, guess: {1.5 * u.t!r}}}'
    return cart(u, f', limits: {list_of(-2 * u.l, 2 * u.l)}', time, f'{{time: {1 / u.t!r}}}', steps=100)


def second_order(u):
    """The motion of steps follows a curve of second order."""
    return cart(u, time=repr(2.0 * u.t), more='transcription: second-order-underactuated\n', steps=30)


def descent(u):
    """By descent, with a goal and bounds of inputs."""
    return two_link(u)


def balance(u):
    """At rest under gravity, held by both motors."""
    task = two_link(u)
    head, rest = task.split('horizon:')
    return head + f'balance: {{q: {{shoulder: 0.7, elbow: -0.4}}, steps: 30, time: {1.2 * u.t!r}}}\n' + rest[rest.index('feedback:'):]


def falling_descent(u):
    """By descent, without a goal: a cost at the end; lengths beside angles."""
    goal = f'goal: {{q: {{x: {1.0 * u.l!r}, pole: pi}}, v: 0}}'
    at_end = (f'{{input: {1 / (u.force**2 * u.t)!r}, reference: {{constant: {{q: {{x: {u.l!r}, pole: pi}}}}}}, '
              f'terminal: {{q: {{x: {100 * u.l**-2!r}, pole: 100}}, v: {{x: {10 * u.v**-2!r}, pole: {10 * u.t**2!r}}}}}}}')
    return cart(u, time=repr(2.0 * u.t), cost=at_end).replace(goal + '\n', '')


def under_bar(u):
    more = (f'outputs: [{{name: load, type: position, bodies: bob, points: {list_of(0, 0, -0.5 * u.l)}}}]\n'
            f'via: [{{from: {0.5 * u.t!r}, to: {u.t!r}, outputs: {{load.z: [none, {0.2 * u.l!r}]}}}}]\n')
    return cart(u, time=repr(2.0 * u.t), more=more, between=repr(1e-4 * u.l))


def two_link(u):
    return f'''model:
  gravity: {list_of(0, 0, -9.81 * u.g)}
  bodies:
    - {{name: upper, joints: [{{name: shoulder, type: ry, damping: {0.1 * u.torque * u.t!r}}}], {bob(u, 1, 0, 0, -0.25)}, inertia: {list_of(0.02 * u.inertia, 0.02 * u.inertia, 0)}}}
    - {{name: lower, parent: upper, offset: {{xyz: {list_of(0, 0, -0.5 * u.l)}}}, joints: [{{name: elbow, type: ry}}], {bob(u, 0.7, 0, 0, -0.25)}, inertia: {list_of(0.015 * u.inertia, 0.015 * u.inertia, 0)}}}
inputs: [{{joint: shoulder, effort: {20 * u.torque!r}}}, {{joint: elbow, effort: {10 * u.torque!r}}}]
horizon: {{steps: 50, time: {1.2 * u.t!r}, gap: none}}
start: {{q: 0, v: 0}}
goal: {{q: {{shoulder: pi, elbow: 0}}, v: 0}}
cost: {{input: {1 / (u.torque**2 * u.t)!r}}}
''' + steady(u, LINKS, LINKS)


def spring_cart(u):
    """Slides alone, one of which goes nowhere and has no limits."""
    return f'''model:
  gravity: [0, 0, 0]
  bodies:
    - {{name: motor, joints: [{{name: a, type: tx}}], mass: {2.0 * u.m!r}}}
    - {{name: load, parent: motor, joints: [{{name: b, type: tx}}], mass: {0.5 * u.m!r}}}
  springs: [{{name: s, joint: b, stiffness: {60 * u.stiff!r}}}]
inputs: [{{joint: a, effort: {15 * u.force!r}}}]
horizon: {{steps: 50, time: {1.5 * u.t!r}, gap: none}}
start: {{q: 0, v: 0}}
goal: {{q: {{a: {1.0 * u.l!r}, b: 0}}, v: 0}}
cost: {{input: {1 / (u.force**2 * u.t)!r}}}
''' + steady(u, SPRING, ['a'])


def four_bar(u):
    def body(name, mass, at, inertia, more):
        return f'    - {{name: {name}, {more}{bob(u, mass, at, 0, 0)}, inertia: {list_of(0, inertia * u.inertia, inertia * u.inertia)}}}\n'
    damping = f'damping: {0.01 * u.torque * u.t!r}'
    return ('model:\n' f'  gravity: {list_of(0, 0, -9.81 * u.g)}\n' '  bodies:\n' +
            body('crank', 0.4, 0.075, 0.001, f'joints: [{{type: ry, {damping}}}], ') +
            body('coupler', 0.6, 0.2, 0.008, f'parent: crank, offset: {{xyz: {list_of(0.15 * u.l, 0, 0)}}}, joints: [{{type: ry, {damping}}}], ') +
            body('rocker', 1.5, 0.25, 0.02, f'offset: {{xyz: {list_of(0.4 * u.l, 0, 0)}}}, joints: [{{type: ry, {damping}}}], ') +
            f'''  constraints:
    - {{name: pin, type: line, bodies: [coupler, rocker], points: [{list_of(0.4 * u.l, 0, 0)}, {list_of(0.3 * u.l, 0, 0)}], axis: [0, 1, 0]}}
inputs: [{{joint: crank, effort: {2.6 * u.torque!r}}}]
horizon: {{steps: 40, time: {0.8 * u.t!r}, gap: none}}
start: {{q: {{crank: -120 deg, coupler: free, rocker: free}}, near: {{coupler: 100 deg, rocker: -110 deg}}, v: 0}}
goal: {{q: {{crank: 60 deg, coupler: free, rocker: free}}, near: {{coupler: -130 deg, rocker: -125 deg}}, v: 0}}
cost: {{input: {1 / (u.torque**2 * u.t)!r}}}
''' + steady(u, FOUR_BAR, ['crank']))


def two_phases(u):
    """A cart pushes as long as a load hangs from it, and goes on without."""
    def carts(more):
        return (f'{{gravity: [0, 0, 0], bodies: [{{name: cart, joints: [{{name: x, type: tx, effort: {10 * u.force!r}}}], '
                f'mass: {(1.0 + more) * u.m!r}}}]}}')
    return f'''model: {carts(0.5)}
start: {{q: 0, v: 0}}
cost: {{input: {1 / (u.force**2 * u.t)!r}}}
phases:
  - {{name: loaded, horizon: {{steps: 20, time: {u.t!r}, gap: none}}}}
  - {{name: free, model: {carts(0)}, horizon: {{steps: 20, time: {u.t!r}, gap: none}}, goal: {{q: {2.0 * u.l!r}, v: 0}}}}
feedback: {{Q: {{q: {u.l**-2!r}, p: 0}}, R: {1 / u.force**2!r}, Qf: {{q: {u.l**-2!r}, p: 0}}}}
'''


def periodic(u):
    return f'''model:
  gravity: {list_of(0, 0, -9.81 * u.g)}
  bodies: [{{name: bob, joints: [{{name: pivot, type: ry, damping: {0.2 * u.torque * u.t!r}}}], {bob(u, 1, 0, 0, -1)}}}]
inputs: [{{joint: pivot, effort: {6 * u.torque!r}}}]
horizon: {{steps: 40, time: {2.2 * u.t!r}, gap: none}}
start: {{q: free}}
goal: start
via: [{{at: 50 %, q: {{pivot: 60 deg}}}}]
cost: {{input: {1 / (u.torque**2 * u.t)!r}}}
''' + steady(u, PENDULUM, ['pivot'], None)


# what the gains of a task are of: its joints, and its inputs among them
def satellite(u):
    """A free body turns by quaternions, with products of inertia."""
    moments = ', '.join(f'{name}: {value * u.inertia!r}' for name, value in
                        (('xx', 12.0), ('yy', 20.0), ('zz', 25.0), ('xy', 1.5), ('xz', -1.0)))
    inputs = ', '.join(f'{{joint: hull.r{a}, min: {-2 * u.torque!r}, max: {2 * u.torque!r}}}' for a in 'xyz')
    return f'''model:
  gravity: [0, 0, 0]
  bodies: [{{name: hull, joints: [ball], mass: {100 * u.m!r}, inertia: {{{moments}}}}}]
inputs: [{inputs}]
horizon: {{steps: 40, time: {16 * u.t!r}}}
start: {{q: 0, v: 0}}
goal: {{q: {{hull: [1.7, 0.9, 1.7]}}, v: 0}}
cost: {{input: {1 / (u.torque**2 * u.t)!r}}}
feedback: {{Q: {{q: 100, p: {(u.inertia / u.t)**-2!r}}}, R: {1 / u.torque**2!r}, Qf: riccati}}
'''


def bounce(u):
    """A ball falls on a floor and bounces, some ten times in three seconds."""
    return f'''model:
  gravity: {list_of(0, 0, -9.81 * u.g)}
  bodies: [{{name: ball, joints: [tz], mass: {0.3 * u.m!r}}}]
  contacts: [{{name: floor, type: above, bodies: [ball, world], axis: [0, 0, 1], restitution: 0.8}}]
simulate: {{steps: 300, step: {0.01 * u.t!r}, start: {{q: {{ball: {0.7 * u.l!r}}}}}}}
'''


def simulate_in_units(folder):
    """What is not so: as many contacts, at the same place at the end."""
    failures, si = [], None
    for i, system in enumerate([SI, *systems_of(4)]):
        path, u = os.path.join(folder, f'bounce-{i}'), Units(*system)
        with open(path + '.yaml', 'w') as f:
            f.write(bounce(u))
        done = subprocess.run([DMOC, 'simulate', path + '.yaml', '-o', path, '--json'], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            failures.append(f'bounce in units of {system}: {done.stderr[-300:]}')
            continue
        with open(os.path.join(path, 'trajectory.csv')) as f:
            end = float(list(csv.DictReader(line for line in f if not line.startswith('#')))[-1]['q.ball']) / u.l
        contacts = json.loads(done.stdout)['contacts']
        found = contacts['made'], contacts['left'], end
        si = si or found
        near = 0 if system in BINARY else 1e-9
        if found[:2] != si[:2] or abs(found[2] - si[2]) > near or si[0] < 3:
            failures.append(f'bounce in units of {system}: {found}, in SI {si}')
    return failures


def push(u):
    """A finger pushes a box against dry friction, and lets it go: no schedule is given."""
    return f'''model:
  gravity: {list_of(0, 0, -9.81 * u.g)}
  bodies:
    - {{name: finger, joints: [tx], mass: {0.5 * u.m!r}}}
    - {{name: box, joints: [tx], mass: {1.0 * u.m!r}}}
  contacts:
    - {{name: face, type: above, bodies: [finger, box], points: [[0, 0, 0], {list_of(-0.1 * u.l, 0, 0)}], axis: [-1, 0, 0]}}
  friction: [{{joint: box, force: {3 * u.force!r}}}]
inputs: [{{joint: finger}}]
horizon: {{steps: 30, time: {1.0 * u.t!r}}}
start: {{q: {{finger: {-0.25 * u.l!r}, box: 0}}, v: 0}}
goal: {{q: {{box: {0.3 * u.l!r}}}, v: 0}}
outputs: [{{name: touch, type: contact-force, contacts: face}}, {{name: blow, type: contact-impulse, contacts: face}}]
bounds: {{outputs: {{touch: [none, {15 * u.force!r}]}}}}
cost: {{input: {1 / (u.force**2 * u.t)!r}, outputs: [{{output: blow, weight: {0.1 / (u.force**2 * u.t**3)!r}}}]}}
'''


def rub(u):
    """A cart and its pole swing up against dry friction of a length, with all its terms, and of an angle, which the
    controller compensates."""
    task = cart(u, time=repr(2.5 * u.t), steps=40)
    falls = f'static: {2.5 * u.force!r}, stribeck: {0.3 * u.v!r}, viscous: {0.4 * u.force / u.v!r}, offset: {0.3 * u.force!r}'
    friction = f'  friction: [{{joint: x, force: {2 * u.force!r}, {falls}}}, {{joint: pole, force: {0.2 * u.torque!r}}}]\n'
    starts = f'spread: {{q: {{x: {0.02 * u.l!r}, pole: 0.02}}, v: {{x: {0.1 * u.l / u.t!r}, pole: {0.1 / u.t!r}}}}}'
    scale = f'scale: {{q: {{x: {u.l!r}, pole: 1}}, v: {{x: {u.l / u.t!r}, pole: {1 / u.t!r}}}}}'
    task = task.replace('inputs:', friction + 'inputs:').replace(', gap: none, between: none', '')
    return task.rstrip()[:-1] + f', hold: 0, friction: compensate}}\nverify: {{samples: 20, required: 0, {starts}, {scale}}}\n'


def plan_in_units(folder):
    """What is not so: plans through contact have the same status and objective, and obey the laws; controllers end alike."""
    failures = []
    for k, task in enumerate((push, rub)):
        si = None
        for i, system in enumerate([SI, *systems_of(5 + k)]):
            path = os.path.join(folder, f'{task.__name__}-{i}')
            with open(path + '.yaml', 'w') as f:
                f.write(task(Units(*system)))
            done = subprocess.run([DMOC, 'run' if task == rub else 'optimize', path + '.yaml', '-o', path, '--json'], capture_output=True, text=True, timeout=300)
            found = json.loads(done.stdout) if done.returncode == 0 else {'status': done.stderr[-300:], 'objective': 0, 'schedule': {'fault': 1}}
            si = si or found
            near = 0 if system in BINARY else 1e-9 * si['objective']
            same = found['status'] == 'solved' and abs(found['objective'] - si['objective']) <= near
            end, si_end = (x.get('verify', {}).get('continuous', {}).get('worst_final_error', 0) for x in (found, si))
            same = same and abs(end - si_end) <= 1e-6 * si_end  # a motion is known to the root of its objective's accuracy
            if not same or found['schedule']['fault'] > 1e-9:
                failures.append(f"{task.__name__} in units of {system}: {found['status']} {found['objective']}, in SI {si['objective']}")
    return failures


def recede(u):
    """A cart and its pole swing up by receding-horizon control: limits of position and speed act, for which calls sweep again."""
    task = cart(u, f', limits: {list_of(-0.6 * u.l, 1.1 * u.l)}, velocity: {2.5 * u.v!r}', repr(2.0 * u.t))
    starts = f'spread: {{q: {{x: {0.2 * u.l!r}, pole: 0.2}}, v: {{x: {0.5 * u.v!r}, pole: {0.5 / u.t!r}}}}}'
    scale = f'scale: {{q: {{x: {u.l!r}, pole: 1}}, v: {{x: {u.v!r}, pole: {1 / u.t!r}}}}}'
    return (task.replace(', gap: none, between: none', '') + 'mpc: {horizon: 20, measure: velocity, bounds: [inputs, positions, speeds]}\n'
            f'verify: {{law: mpc, samples: 20, required: 0, {starts}, {scale}}}\n')


def recede_in_units(folder):
    """What is not so: as many sweeps, as many successes, and the same worst error at the end."""
    failures, si = [], None
    for i, system in enumerate([SI, *systems_of(8)]):
        path = os.path.join(folder, f'recede-{i}')
        with open(path + '.yaml', 'w') as f:
            f.write(recede(Units(*system)))
        done = subprocess.run([DMOC, 'run', path + '.yaml', '-o', path, '--json'], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            failures.append(f'recede in units of {system}: {done.stderr[-300:]}')
            continue
        result = json.loads(done.stdout)
        runs = [result['verify'][plant] for plant in ('discrete', 'continuous')]
        counts = [[r['held'], *(r['horizon'][key] for key in ('sweeps', 'most', 'swept', 'fell_back'))] for r in runs]
        found = [result['objective']] + [r['worst_final_error'] for r in runs]
        si = si or (counts, found)
        # a motion is known to the root of its objective's accuracy
        same = counts == si[0] and all(abs(a - b) <= 1e-6 * b for a, b in zip(found, si[1]))
        if not same or counts[0][1] <= 1:
            failures.append(f'recede in units of {system}: {counts} {found}, in SI {si}')
    return failures


def gait(u):
    """A compass walks on level ground by a motor at its hip: impacts, exchanged legs, a free time of a step."""
    return f'''model:
  gravity: {list_of(0, 0, -9.81 * u.g)}
  bodies:
    - {{name: hip, joints: [tx, tz], mass: {10.0 * u.m!r}}}
    - {{name: stance, parent: hip, joints: [{{name: stance, type: ry}}], {bob(u, 5, 0, 0, -0.5)}}}
    - {{name: swing, parent: stance, joints: [{{name: swing, type: ry, effort: {50 * u.torque!r}}}], {bob(u, 5, 0, 0, -0.5)}}}
    - {{name: stance_foot, parent: stance, offset: {{xyz: {list_of(0, 0, -u.l)}}}}}
    - {{name: swing_foot, parent: swing, offset: {{xyz: {list_of(0, 0, -u.l)}}}}}
  constraints: [{{name: pin, type: line, bodies: [stance_foot, world], axis: [0, 1, 0]}}]
outputs:
  - {{name: foot, type: height, bodies: swing_foot, axis: [0, 0, 1]}}
  - {{name: swing_leg, type: sum, coordinates: [stance, swing]}}
start: {{q: free, v: free, assemble: none}}
cost: {{input: {1 / (u.torque**2 * u.t)!r}}}
guess: {{csv: gait.csv}}
phases:
  - name: step
    horizon: {{steps: 40, time: {{free: {list_of(0.3 * u.t, 1.5 * u.t)}}}}}
    until: {{touch: foot, clear: false}}
    join: {{into: {{stance: swing_leg}}, mirror: [swing], travel: {{hip.tx: {0.4 * u.l!r}}}}}
'''


def walk_in_units(folder):
    """What is not so: a gait has the same objective, time of a step and multipliers."""
    failures, si = [], None
    rows = list(csv.reader(open(os.path.join(sys.argv[2], 'problems', 'walking', 'compass-hip.csv'))))
    for i, system in enumerate([SI, *systems_of(7)]):
        u, path = Units(*system), os.path.join(folder, f'gait-{i}')
        with open(path + '.yaml', 'w') as f:
            f.write(gait(u))
        with open(os.path.join(folder, 'gait.csv'), 'w') as f:
            scales = [u.t, u.l, u.l, 1, 1]
            csv.writer(f).writerows([rows[0]] + [[float(x) * s for x, s in zip(row, scales)] for row in rows[1:]])
        done = subprocess.run([DMOC, 'optimize', path + '.yaml', '-o', path, '--json'], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            failures.append(f'gait in units of {system}: {done.stderr[-300:]}')
            continue
        result = json.loads(done.stdout)
        found = [result['objective'], result['time_of_all'] / u.t, result['cycle']['largest']]
        si = si or found
        # a free time is known to the root of the objective's accuracy
        if any(abs(a - b) > 1e-7 * abs(a) for a, b in zip(si, found)):
            failures.append(f'gait in units of {system}: objective, time, multiplier {found}, in SI {si}')
    return failures


HULL = dict.fromkeys(('hull.qw', 'hull.qx', 'hull.qy', 'hull.qz', 'hull.rx', 'hull.ry', 'hull.rz'), False)
GAINS = {satellite: (HULL, ['hull.rx', 'hull.ry', 'hull.rz']), swing_up: (CART, ['x']), speed_limit: (CART, ['x']), minimum_time: (CART, ['x']), under_bar: (CART, ['x']),
         two_link: (LINKS, LINKS), descent: (LINKS, LINKS), balance: (LINKS, LINKS), falling_descent: (CART, ['x']), second_order: (CART, ['x']), spring_cart: (SPRING, ['a']), four_bar: (FOUR_BAR, ['crank']),
         two_phases: ({'x': True}, ['x']), periodic: (PENDULUM, ['pivot'])}
TASKS = [satellite, second_order, descent, balance, falling_descent, swing_up, speed_limit, minimum_time, under_bar, two_link, spring_cart, four_bar, two_phases, periodic]
CHECKED = [swing_up, two_link, four_bar, two_phases]


def light_link(u):
    """A finger at the end of an arm that is 15 times as heavy and 200 times as long."""
    inertia, small = list_of(*[1e-3 * u.inertia] * 3), list_of(*[1e-6 * u.inertia] * 3)
    return f'''model:
  gravity: {list_of(0, 0, -9.81 * u.g)}
  bodies:
    - {{name: a, joints: [{{name: j1, type: ry, effort: {u.torque!r}}}], {bob(u, 0.3, 0, 0, 0.1)}, inertia: {inertia}}}
    - {{name: b, parent: a, offset: {{xyz: {list_of(0, 0, 0.2 * u.l)}}}, joints: [{{name: j2, type: rx, effort: {u.torque!r}}}], {bob(u, 0.02, 0, 0.001, 0.001)}, inertia: {small}}}
horizon: {{steps: 40, time: {u.t!r}}}
start: {{q: 0, v: 0}}
goal: {{q: 0.3, v: 0}}
cost: {{input: {1 / (u.torque**2 * u.t)!r}}}
'''


def design(u):
    """A spring that does the work alone, a pole's mass that follows the cheapest one."""
    return (f'design:\n  - {{name: stiffness, at: model.springs.0.stiffness, within: {list_of(0, 90 * u.stiff)}}}\n'
            f'  - {{name: mass, at: model.bodies.1.mass, within: {list_of(0.2 * u.m, u.m)}, price: {0.01 / u.m!r}}}\n'
            + spring_cart(u).replace('steps: 50', 'steps: 20'))


# the units of what designs find
DESIGNS = {design: lambda u: {'stiffness': u.stiff, 'mass': u.m}}
GAINS[design] = GAINS[spring_cart]
TASKS.append(design)
CHECKED += [light_link, design]


def solve(folder, name, text):
    """The result of a task and its tables, or what was said."""
    path = os.path.join(folder, name)
    with open(path + '.yaml', 'w') as f:
        f.write(text)
    command = 'descend' if 'descent' in name else 'optimize'
    at_rest = 'balance:' in text
    if at_rest:
        command = 'gains'
    done = subprocess.run([DMOC, command, path + '.yaml', '-o', path], capture_output=True, text=True, timeout=300)
    if done.returncode == 0 and not at_rest:  # of phases, those of the last one
        last = os.path.join(path, 'free')
        of = [last] if os.path.isdir(last) else [path + '.yaml', '-o', path]
        done = subprocess.run([DMOC, 'gains', *of], capture_output=True, text=True, timeout=300)
    result = os.path.join(path, 'result.json')
    found = json.load(open(result)) if os.path.exists(result) else {'status': done.stderr[-400:] or done.stdout[-400:]}
    found['exit'] = done.returncode
    found['said'] = done.stderr[-300:]
    return found


def check(folder, name, text):
    """The blocks of derivatives of a problem, and whether each holds."""
    path = os.path.join(folder, name) + '.yaml'
    with open(path, 'w') as f:
        f.write(text)
    done = subprocess.run([DMOC, 'check', path, '--json'], capture_output=True, text=True, timeout=300)
    rows = json.loads(done.stdout)['blocks'] if done.stdout else []
    return {'exit': done.returncode, 'blocks': [(row['block'], row['holds']) for row in rows]}


def check_in_units(folder):
    """What is not so: the verdicts of check are those in SI, where all derivatives hold."""
    jobs = [(task, s) for k, task in enumerate(CHECKED) for s in [SI, *systems_of(k)]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: check(folder, f'check-{id(job)}', job[0](Units(*job[1]))), jobs))
    failures, si = [], {}
    for (task, system), found in zip(jobs, results):
        si.setdefault(task, found)
        off = [block for block, holds in found['blocks'] if not holds]
        if found != si[task] or found['exit'] != 0 or len(found['blocks']) < 9:
            failures.append(f'check of {task.__name__} in units of {system}: exit {found["exit"]}, '
                            f'{len(found["blocks"])} blocks, these do not hold: {off}')
    return failures


def designs_in_si(path, u, units):
    """The numbers that a design found, in SI, with how they are bounded."""
    with open(os.path.join(path, 'result.json')) as f:
        found = json.load(f)['design']
    return [(p['name'], p['value'] / units(u)[p['name']], p['at_bound']) for p in found['parameters']]


def compare_designs(si, other, near):
    for (name, a, at), (_, b, there) in zip(si, other):
        if at != there or abs(a - b) > near * abs(a):
            return f'{name} is {b!r} at its {there} bound, in SI {a!r} at its {at} bound'
    return None


def gains_in_si(path, u, joints, inputs):
    """K of gains.csv in SI, [row][input, state]: an input's unit over a state's."""
    last = os.path.join(path, 'free')
    with open(os.path.join(last if os.path.isdir(last) else path, 'gains.csv')) as f:
        rows = [row for row in csv.DictReader(line for line in f if not line.startswith('#'))]
    units = {}
    for j in inputs:
        for i, slides in joints.items():
            for state, unit in ((f'q.{i}', of_q(u, slides)), (f'p.{i}', of_p(u, slides))):
                units[f'K.{j}.{state}'] = unit / of_input(u, joints[j])
    names = [name for name in rows[0] if name.startswith('K.')]
    return [[float(row[name]) * units[name] for name in names] for row in rows]


def compare_gains(si, other, near):
    """How far gains are from those in SI, over their largest, in words; or None."""
    if len(si) != len(other) or not si or len(si[0]) != len(other[0]):
        return 'gains of other knots or states'
    most = max(abs(k) for row in si for k in row)
    off = max(abs(a - b) for row, of_row in zip(si, other) for a, b in zip(row, of_row))
    return None if most > 0 and off <= near * most else f'gains differ by {off / most:.2g} of the largest'


def compare(task, si, other, near):
    """What differs between a result and that in SI, or None."""
    if si['exit'] != other['exit'] or si['status'] != other['status']:
        return f"{task}: {other['status']} (exit {other['exit']}), in SI {si['status']} (exit {si['exit']}): {other['said']}"
    a, b = si.get('objective'), other.get('objective')
    if a is not None and abs(a - b) > near * abs(a):
        return f'{task}: objective {b!r}, in SI {a!r}'
    for a, b in zip(si.get('torques', []), other.get('torques', [])):
        if not a or abs(a - b) > near * abs(a):
            return f'{task}: rest needs {b!r}, in SI {a!r}'
    wrong = compare_gains(si['gains'], other['gains'], near) if isinstance(si.get('gains'), list) else None
    if not wrong and 'design' in si:
        wrong = compare_designs(si['design'], other['design'], near)
    return f'{task}: {wrong}' if wrong else None


def main():
    failures, alike, same_iterations = [], collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def one(job):
            task, system, i = job
            found = solve(folder, f'{task.__name__}-{i}', task(Units(*system)))
            if found['exit'] == 0 and task in GAINS:
                path = os.path.join(folder, f'{task.__name__}-{i}')
                found['gains'] = gains_in_si(path, Units(*system), *GAINS[task])
                if 'equilibrium' in found:
                    found['torques'] = [x / Units(*system).torque for x in found['equilibrium']['u'].values()]
                if task in DESIGNS:
                    found['design'] = designs_in_si(path, Units(*system), DESIGNS[task])
            return found
        jobs = [(task, s, i) for k, task in enumerate(TASKS) for i, s in enumerate([SI, *systems_of(k)])]
        results = list(pool.map(one, jobs))
        failures += check_in_units(folder)
        failures += simulate_in_units(folder)
        failures += plan_in_units(folder)
        failures += recede_in_units(folder)
        failures += walk_in_units(folder)
    si = {job[0]: found for job, found in zip(jobs, results) if job[1] == SI}
    for task, found in si.items():
        if found['exit'] != 0:
            failures.append(f"{task.__name__} in SI: {found['status']}")
    for (task, system, _), found in zip(jobs, results):
        if system == SI or si[task]['exit'] != 0:
            continue
        wrong = compare(f'{task.__name__} in units of {system}', si[task], found, 0 if system in BINARY else 1e-9)
        same_iterations[task] += found.get('iterations') == si[task].get('iterations')
        alike[task] += not wrong
        if wrong:
            failures.append(wrong)
    total, each = len(jobs) - len(TASKS), len(systems_of(0))
    print('| task | unit systems | alike | of as many iterations |\n| --- | --- | --- | --- |')
    for task in TASKS:
        print(f"| {task.__name__.replace('_', ' ')} | {each} | {alike[task]} | {same_iterations[task]} |")
    print(f'{total} runs, {len(failures)} not as in SI, {sum(same_iterations.values())} with as many iterations')
    for text in failures:
        print('not so:', text)
    return 1 if failures or sum(same_iterations.values()) < 0.95 * total else 0


sys.exit(main())
