import{forceCollide,forceLink,forceSimulation,forceX,forceY,packEnclose,packSiblings}from"../vendor/layout.js";var TURN=Math.PI*(3-Math.sqrt(5));function seeded(state){return()=>{state=state+1831565813|0;let mixed=Math.imul(state^state>>>15,1|state);return mixed=mixed+
Math.imul(mixed^mixed>>>7,61|mixed)^mixed,((mixed^mixed>>>14)>>>0)/4294967296}}var FILLED=.42,GAP=1.5*12,COMPONENT_GAP=24,STEPS=300;function placedCircles(shape,communities){let{circles,indexOf}=circlesOf(
shape,communities),circleLinks=circleLinksOf(shape,communities,indexOf),components=componentsOf(circles.length,circleLinks).
map(indices=>{let own=indices.map(at=>circles[at]);return packSiblings(own.toSorted((a,b)=>b.r-a.r)),own.length>2&&attract(
own,circleLinksWithin(indices,circleLinks)),enclosed(own)});components.sort((a,b)=>b.r-a.r);for(let{circles:own,x,y}of packSiblings(
components))for(let circle of own)Object.assign(circle,{x:circle.x+x,y:circle.y+y});return circles}function circlesOf({rooms},communities){
let indexOf=new Map,circles=[];communities.forEach((community,node)=>{if(community===-1)return;let at=indexOf.get(community)??
circles.length;at===circles.length&&circles.push({members:[],r:0,x:0,y:0}),indexOf.set(community,at),circles[at].members.
push(node)});for(let circle of circles)circle.r=Math.sqrt(circle.members.reduce((sum,node)=>sum+rooms[node]**2,0)/FILLED);
return{circles,indexOf}}function circleLinksOf({links},communities,indexOf){let circleLinks=new Map;for(let at=0;at<links.
length;at+=2){let ends=[links[at],links[at+1]].map(node=>indexOf.get(communities[node])??0),[source,target]=ends[0]<ends[1]?
ends:[ends[1],ends[0]];if(source===target)continue;let key=source*indexOf.size+target,circleLink=circleLinks.get(key)??{
source,target,count:0};circleLink.count+=1,circleLinks.set(key,circleLink)}return[...circleLinks.values()]}function componentsOf(count,circleLinks){
let heads=Array.from({length:count},(_,at)=>at),headOf=at=>{for(;heads[at]!==at;)at=heads[at]=heads[heads[at]];return at};
for(let{source,target}of circleLinks)heads[headOf(target)]=headOf(source);let components=new Map;return heads.forEach((_,at)=>{
let component=components.get(headOf(at));component?component.push(at):components.set(headOf(at),[at])}),[...components.values()]}
function circleLinksWithin(indices,circleLinks){let own=new Map(indices.map((index,at)=>[index,at]));return circleLinks.
flatMap(({source,target,count})=>{let[from,to]=[own.get(source),own.get(target)];return from===void 0||to===void 0?[]:[{
source:from,target:to,count}]})}function attract(circles,circleLinks){let most=Math.max(...circleLinks.map(({count})=>count)),
distance=({source,target})=>source.r+target.r+GAP,strength=({count})=>.5*Math.sqrt(count/most);forceSimulation(circles).
randomSource(seeded(1)).force("link",forceLink(circleLinks).distance(distance).strength(strength)).force("collide",forceCollide(
({r})=>r+GAP/2).iterations(4)).force("x",forceX(0).strength(.06)).force("y",forceY(0).strength(.06)).stop().tick(STEPS)}
function enclosed(circles){let{x,y,r}=packEnclose(circles);for(let circle of circles)Object.assign(circle,{x:circle.x-x,
y:circle.y-y});return{circles,r:r+COMPONENT_GAP/2,x:0,y:0}}import{Graph,louvain}from"../vendor/layout.js";function communitiesOf(order,links){let graph=new Graph({type:"undirected"});for(let at=0;at<links.length;at+=1)graph.mergeNode(
links[at]);for(let at=0;at<links.length;at+=2)graph.mergeEdge(links[at],links[at+1]);let communities=graph.size?louvain(
graph,{getEdgeWeight:null,rng:seeded(1)}):{};return Int32Array.from({length:order},(_,at)=>communities[at]??-1)}function renumbered(before,now){
let successors=successorsOf(before,now),sizes=counted(now),numbers=new Map;for(let[old,community]of successors)numbers.has(
community)||numbers.set(community,old);let taken=new Set(numbers.values()),free=0;for(let[community]of[...sizes].sort((a,b)=>b[1]-
a[1]||a[0]-b[0]))if(!numbers.has(community)){for(;taken.has(free);)free+=1;numbers.set(community,free),taken.add(free)}return Int32Array.
from(now,community=>numbers.get(community)??-1)}function successorsOf(before,now){let sizes=counted(before),shares=new Map;
for(let at=0;at<now.length;at+=1){if(before[at]===-1||now[at]===-1)continue;let key=`${before[at]} ${now[at]}`,share=shares.
get(key)??{old:before[at],community:now[at],count:0};share.count+=1,shares.set(key,share)}return[...shares.values()].filter(
({old,count})=>2*count>(sizes.get(old)??0)).sort((a,b)=>b.count-a.count||a.old-b.old).map(({old,community})=>[old,community])}
function counted(numbers){let sizes=new Map;for(let at=0;at<numbers.length;at+=1)numbers[at]!==-1&&sizes.set(numbers[at],
(sizes.get(numbers[at])??0)+1);return sizes}import{forceCollide as forceCollide2,forceLink as forceLink2,forceManyBody,forceSimulation as forceSimulation2,forceX as forceX2,
forceY as forceY2}from"../vendor/layout.js";var LAST_ALPHA=.001,UNTIL=.6;function bodiesOf({rooms},circles){let bodies=new Map;for(let circle of circles)circle.members.
toSorted((a,b)=>rooms[b]-rooms[a]).forEach((node,at)=>{let away=circle.r*.9*Math.sqrt((at+.3)/circle.members.length),[x,
y]=[circle.x+away*Math.cos(at*TURN),circle.y+away*Math.sin(at*TURN)];bodies.set(node,{node,circle,room:rooms[node],outward:{
x:0,y:0},x,y})});return bodies}function stepsOf({links},circles,bodies,steps){let within=new Map(circles.map(circle=>[circle,
[]]));for(let at=0;at<links.length;at+=2){let[source,target]=[bodies.get(links[at]),bodies.get(links[at+1])];!source||!target||
(source.circle===target.circle?within.get(source.circle)?.push({source,target}):pull(source,target))}return circles.filter(
({members})=>members.length>1).map(circle=>{let own=circle.members.map(node=>bodies.get(node)),simulation=simulated(circle,
own,within.get(circle)??[],steps),step=0;return()=>{step===Math.floor(steps*UNTIL)&&endRepulsion(simulation),simulation.
tick(),step+=1}})}function pull(source,target){let[x,y]=[target.circle.x-source.circle.x,target.circle.y-source.circle.y],
length=Math.hypot(x,y)||1;for(let[{outward},sign]of[[source,1],[target,-1]])outward.x+=sign*x/length,outward.y+=sign*y/length}
function simulated(circle,bodies,links,steps){let distance=({source,target})=>source.room+target.room+12/2,goal=axis=>({
outward})=>{let length=Math.hypot(outward.x,outward.y);return circle[axis]+(length?.6*circle.r*outward[axis]/(length+2):
0)};return forceSimulation2(bodies).randomSource(seeded(1)).alphaDecay(1-LAST_ALPHA**(1/steps)).velocityDecay(.35).force(
"link",forceLink2(links).distance(distance)).force("charge",forceManyBody().strength(-2.5*12).theta(1).distanceMax(circle.
r)).force("x",forceX2(goal("x")).strength(.08)).force("y",forceY2(goal("y")).strength(.08)).force("edge",()=>keepWithin(
circle,bodies)).stop()}var endRepulsion=simulation=>simulation.force("charge",null).force("collide",forceCollide2(({room})=>room));
function keepWithin({x,y,r},bodies){for(let body of bodies){let[right,up]=[body.x-x,body.y-y],beyond=Math.hypot(right,up)+
body.room-r;if(beyond<=0)continue;let part=beyond/Math.hypot(right,up);body.vx=(body.vx??0)-.5*part*right,body.vy=(body.
vy??0)-.5*part*up}}var CELL=1.3*12,AWAY=3.5*12,WIDE=1.6;function unlinkedPlaces(extent,count){let least=Math.ceil(Math.sqrt(count*WIDE)),columns=extent?
Math.max(Math.floor((extent.right-extent.left)/CELL),Math.min(least,12)):least,used=Math.min(columns,count),middle=extent?
(extent.left+extent.right)/2:0,top=extent?extent.bottom-AWAY:0;return at=>({x:middle+CELL*(at%columns-(used-1)/2),y:top-
CELL*Math.floor(at/columns)})}var BATCH_MS=40,run=null;self.addEventListener("message",({data})=>{"links"in data?start(data):"ready"in data&&run?run.wanted=
!0:"pin"in data&&run&&pin(run,data)});function start({seconds,steps,before,...shape}){let order=shape.rooms.length,communities=renumbered(
before,communitiesOf(order,shape.links));self.postMessage({communities});let circles=placedCircles(shape,communities),bodies=bodiesOf(
shape,circles),moves=stepsOf(shape,circles,bodies,steps),end=performance.now()+seconds*1e3;run={bodies,moves,xy:withUnlinked(
order,circles,bodies),end,left:moves.length?steps:0,wanted:!0},turn(run)}function withUnlinked(order,circles,bodies){let extent=circles.
length?{left:Math.min(...circles.map(({x,r})=>x-r)),right:Math.max(...circles.map(({x,r})=>x+r)),bottom:Math.min(...circles.
map(({y,r})=>y-r))}:null,place=unlinkedPlaces(extent,order-bodies.size),xy=new Float32Array(2*order);for(let node=0,at=0;node<
order;node+=1){if(bodies.has(node))continue;let{x,y}=place(at);xy.set([x,y],2*node),at+=1}return xy}function turn(own){if(own!==
run)return;let until=performance.now()+BATCH_MS;for(;own.left>0&&performance.now()<until;){for(let move of own.moves)move();
own.left-=1}let done=own.left===0||performance.now()>own.end;(own.wanted||done)&&report(own,done),done?run=null:setTimeout(
turn,0,own)}function report(own,done){own.wanted=!1;for(let{node,x,y}of own.bodies.values())own.xy.set([x,y],2*node);self.
postMessage({xy:own.xy,done})}function pin({bodies,xy},{pin:node,x,y,fixed}){let body=bodies.get(node);body?Object.assign(
body,{x,y,fx:fixed?x:null,fy:fixed?y:null}):xy.set([x,y],2*node)}
